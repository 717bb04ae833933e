#!/usr/bin/env python3
"""peers.py: the six workloads on the software device, as bytecode and as native code, beside a plain loop, PoCL, lavapipe and Oclgrind, in one run.
usage: bench/peers.py BUILD_DIR [RUNS]      the least of RUNS (7)

Needs pocl-opencl-icd, oclgrind and ocl-icd-opencl-dev for the rows of the first two, mesa-vulkan-drivers, glslang-tools and libvulkan-dev for lavapipe's.

One thread is timed by its processor time, which other work on the machine stretches least; two threads by the clock. Oclgrind is
too slow for whole grids: both do parts of them, of several sizes (bench/part.h). The figures also go to BUILD_DIR/peers.json.
"""
import glob
import json
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile

WORKLOADS = ["W1", "W2", "W3", "W4", "W5", "W6"]
BUFFERS_MB = {"W1": 128, "W2": 3, "W3": 64.25, "W4": 32, "W5": 32, "W6": 96}  # that each workload touches


def table(lines, column):
    """{first word of each row: value in the column} of emu_kernels' table."""
    rows = {}
    for line in lines[1:]:
        words = line.split()
        if len(words) < 2 or words[0] not in WORKLOADS or "groups" in line:
            if "groups of 32" in line:
                rows["32"] = float(line[22:].split()[column])
            continue
        rows.setdefault(words[0], float(line[22:].split()[column]))
    return rows


PARTS = (512, 256, 128)  # of the grids, for Oclgrind


def emu(build, threads, runs, checks, workload="", part=1, air=None):
    words = [build + "/bench/emu_kernels", str(threads), str(runs), checks, workload, str(part)]
    rest = {k: v for k, v in os.environ.items() if k != "INGOT_AIR"}
    return subprocess.run(words, check=True, capture_output=True, text=True, env={**rest, **({"INGOT_AIR": air} if air else {})}).stdout.splitlines()


def device(build, threads, runs, checks, part=1):
    """Steady launches and plain loops, in milliseconds; the table."""
    lines = emu(build, threads, runs, checks, "", part)
    names = re.split(r"  +", lines[0].strip())[1:]
    loops = table(lines, names.index("loop"))
    loops.pop("W6", None)  # halves have no plain loop
    return table(lines, names.index("device")), loops, lines


def native(build, runs):
    """Native code in steady launches, with checks and without, and what loading a kernel takes, in the process of the other figures."""
    air = build + "/libingot-air.so"
    if not os.path.exists(air):
        return {}, {}, {}
    lines = emu(build, 1, runs, "", air=air)
    names = re.split(r"  +", lines[0].strip())[1:]
    return tuple(table(lines, names.index(n)) for n in ("code", "no checks", "load"))


def small_launch(build):
    """Processor time of a whole process that launches one small kernel once, in milliseconds, by engine."""
    text = "kernel void k(device const float *a, device float *b, uint i [[thread_position_in_grid]]) { b[i] = a[i] + 1; }\n"
    times = {}
    with tempfile.TemporaryDirectory() as folder:
        path = folder + "/k.metal"
        with open(path, "w") as f:
            f.write(text)
        for engine in ("vm", "native"):
            command = [build + "/ingot", "msl", "run", "--engine", engine, "--grid", "4", "--threads", "256", "--buffer", "a=random:1024", "--buffer",
                       "b=zeros:1024", path]
            for _ in range(9):
                before = resource.getrusage(resource.RUSAGE_CHILDREN)
                done = subprocess.run(command, capture_output=True)
                after = resource.getrusage(resource.RUSAGE_CHILDREN)
                spent = (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) * 1e3
                if done.returncode == 0:
                    times[engine] = min(times.get(engine, spent), spent)
    return times


def two_threads(build, runs, checks):
    """By the clock, and the processor time of both together: what a machine with nothing else to do makes of it is half of that."""
    lines = emu(build, 2, runs, checks)
    names = re.split(r"  +", lines[0].strip())[1:]
    return table(lines, names.index("device")), table(lines, -1)


def lavapipe(build, runs):
    """{workload: milliseconds} of W1 to W3 on Mesa's Vulkan device for processors; {} where it is not to be had."""
    drivers = glob.glob("/usr/share/vulkan/icd.d/lvp_icd*.json")
    made = subprocess.run(["cmake", "--build", build, "--target", "vk_kernels"], capture_output=True).returncode == 0
    if not made or not drivers or not shutil.which("glslangValidator"):
        return {}
    here = os.path.dirname(os.path.abspath(__file__))
    with tempfile.TemporaryDirectory() as folder:
        for source in glob.glob(here + "/vk/*.comp"):
            module = folder + "/" + os.path.basename(source)[:-5] + ".spv"
            subprocess.run(["glslangValidator", "-V", "-o", module, source], check=True, stdout=subprocess.DEVNULL)
        return rows_of([build + "/bench/vk_kernels", folder, str(runs)], {"VK_ICD_FILENAMES": drivers[0], "LP_NUM_THREADS": "1"})


def rows_of(words, environment=None):
    """{workload: milliseconds} of cl_kernels or vk_kernels; "W2u" is the unrolled form. {} where it does not run."""
    done = subprocess.run(words, capture_output=True, text=True, env={**os.environ, **(environment or {})})
    rows = {}
    for line in done.stdout.splitlines():
        if line[:2] in WORKLOADS:
            rows[line[:2] + ("u" if "unrolled" in line else "")] = float(line.split()[-1])
    return rows if done.returncode == 0 else {}


def memory(build, checks):
    """MB that the process grows by beside the data, of each workload alone."""
    return {w: float(emu(build, 1, 2, checks, w)[-1].split()[-1]) for w in WORKLOADS}


def compile_time(build, lines=10000):
    """Milliseconds of processor time for `ingot msl list` over a text of so many lines, less those for an empty one."""
    kernel = ("kernel void k%d(device const float *a, device float *b, constant uint &n, uint i [[thread_position_in_grid]])\n{\n"
              "    float x = a[i] * %d.0f;\n    for (uint j = 0; j < n; ++j) {\n        x = fma(x, 0.5f, float(j));\n"
              "        if (x > 100.0f) x -= a[(i + j) %% n];\n    }\n    b[i] = exp(x) + sqrt(fabs(x));\n}\n")
    head = "#include <metal_stdlib>\nusing namespace metal;\n"
    times = []
    with tempfile.TemporaryDirectory() as folder:
        for text in (head, head + "".join(kernel % (i, i) for i in range(lines // 9))):
            path = folder + "/k.metal"
            with open(path, "w") as f:
                f.write(text)
            least = 1e9
            for _ in range(3):
                before = os.times()
                subprocess.run([build + "/ingot", "msl", "list", path], stdout=subprocess.DEVNULL, check=True)
                after = os.times()
                least = min(least, after.children_user + after.children_system - before.children_user - before.children_system)
            times.append(least * 1e3)
    return times[1] - times[0]


def parts(build, runs, cl):
    """{part of the grid: (all checks, Oclgrind with its check for races)} for W1 to W3, in milliseconds."""
    result = {}
    for part in PARTS:
        own, oclgrind = device(build, 1, runs, "all", part)[0], {}
        for workload in ("W1", "W2 m", "W3"):
            oclgrind.update(rows_of(["oclgrind", "--data-races", cl, "1", str(part), workload]))
        result[part] = own, oclgrind
    return result


def note(what):
    """What is being measured, where somebody waits for it."""
    print("measuring " + what, file=sys.stderr, flush=True)


def show(name, values, unit=""):
    cells = "".join("%10s" % ("-" if values.get(w) is None else "%.3g" % values[w]) for w in WORKLOADS)
    print("%-38s%s %s" % (name, cells, unit))


def ratio(a, b):
    return {w: a[w] / b[w] for w in WORKLOADS if a.get(w) and b.get(w)}


def main():
    build = os.path.abspath(sys.argv[1])
    runs = int(sys.argv[2]) if len(sys.argv) > 2 else 7
    subprocess.run(["cmake", "--build", build, "--target", "emu_kernels", "ingot_command"] + (["ingot_air"] if os.path.exists(build + "/libingot-air.so") else []), check=True, stdout=subprocess.DEVNULL)
    cl = build + "/bench/cl_kernels"
    have_cl = subprocess.run(["cmake", "--build", build, "--target", "cl_kernels"], capture_output=True).returncode == 0
    result = {}
    note("the software device")
    result["plain"], result["loop"], lines = device(build, 1, runs, "")
    result["all checks"], _, _ = device(build, 1, runs, "all")
    result["two threads"], result["work of two threads"] = two_threads(build, runs, "")
    result["two threads, all checks"], result["work of two threads, all checks"] = two_threads(build, runs, "all")
    note("native code")
    result["native"], result["native, unchecked"], result["native, loading"] = native(build, runs)
    result["small launch"] = small_launch(build)
    note("PoCL")
    result["pocl"] = rows_of([cl, str(runs)]) if have_cl else {}
    note("lavapipe")
    result["lavapipe"] = lavapipe(build, min(runs, 3))
    if have_cl and shutil.which("oclgrind"):
        note("Oclgrind, which takes minutes")
        result["parts"] = parts(build, runs, cl)
    note("memory and compiling")
    result["memory, plain"], result["memory, all checks"] = memory(build, ""), memory(build, "all")
    first = [line for line in lines if line.startswith("empty launch")][0][22:].split()
    result["first launch"] = float(first[1])
    result["compile 10,000 lines"] = compile_time(build)

    load = os.getloadavg()[0]
    print("load %.1f; milliseconds, the least of %d" % (load, runs))
    print("%-38s%s" % ("", "".join("%10s" % w for w in WORKLOADS)))
    for name in ("loop", "plain", "all checks", "two threads", "two threads, all checks", "native", "native, unchecked", "pocl", "lavapipe"):
        if result.get(name):
            show(name, result[name])
    show("PoCL : bounds on", ratio(result["pocl"], result["plain"]), "times as long")
    show("lavapipe : bounds on", ratio(result["lavapipe"], result["plain"]), "times as long")
    if "W2u" in result["pocl"]:
        print("%-38s%20.3g %s" % ("PoCL, inner loop unrolled : bounds on", result["pocl"]["W2u"] / result["plain"]["W2"], "times as long"))
    show("bounds on : plain loop", ratio(result["plain"], result["loop"]))
    if result["native"]:
        show("PoCL : native", ratio(result["pocl"], result["native"]), "times as long")
        show("bounds on : native", ratio(result["plain"], result["native"]), "times as long")
        show("native : plain loop", ratio(result["native"], result["loop"]))
        show("native, loading and compiling", result["native, loading"], "ms of processor time")
    for engine, spent in result["small launch"].items():
        print("%-38s%10.3g ms of processor time" % ("a process with one launch, " + engine, spent))
    for part, (own, oclgrind) in result.get("parts", {}).items():
        show("1/%d, all checks" % part, {w: own[w] for w in oclgrind})
        show("1/%d, oclgrind --data-races" % part, oclgrind)
        show("1/%d, Oclgrind : all checks" % part, ratio(oclgrind, own), "times as long")
    show("one thread : two, bounds on", ratio(result["plain"], result["two threads"]))
    show("one thread : two, all checks", ratio(result["all checks"], result["two threads, all checks"]))
    show("the same by processor time", ratio({w: 2 * t for w, t in result["plain"].items()}, result["work of two threads"]))
    show("all checks, by processor time", ratio({w: 2 * t for w, t in result["all checks"].items()}, result["work of two threads, all checks"]))
    show("memory beside the buffers, plain", result["memory, plain"], "MB")
    show("memory beside the buffers, all checks", result["memory, all checks"], "MB")
    show("the buffers", BUFFERS_MB, "MB")
    print("%-38s%10.3g times a group of 256, a thread" % ("groups of 32, bounds on", result["plain"]["32"] / result["plain"]["W1"]))
    print("%-38s%10.3g ms of an empty kernel, parsed" % ("first launch", result["first launch"]))
    print("%-38s%10.3g ms of processor time" % ("10,000 lines of MSL read", result["compile 10,000 lines"]))
    with open(build + "/peers.json", "w") as f:
        json.dump(result, f, indent=1)


if __name__ == "__main__":
    main()
