"""Random kernels (random_kernel.py), as MSL on the software device and as native code, against the same text as C++ of this machine's
compiler: every thread's sum must be the same. A refusal, a crash or an endless loop is a failure too.

A seed always gives the same program. One that differs is made smaller by leaving out lines, as long as the compiler agrees with itself
without and with optimisation and finds nothing uninitialised, and is printed; --print shows programs whole. The last line says how many
ran, how many failed, and their seeds. Skipped (77) where there is no C++ compiler, or no AIR component for native code alone.

usage: generate.py INGOT [--seed-start N] [--count N] [--minutes M] [--batch B] [--engines vm,native] [--print]
"""

import argparse
import os
import random
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import time

from random_kernel import Generator

HERE = os.path.dirname(os.path.abspath(__file__))
THREADS, GROUPS = 96, 2  # three simdgroups in two threadgroups: one is not full
BASE = ["-std=c++14", "-fwrapv", "-ffp-contract=off", f"-I{HERE}"]
WARY = ["-O2", "-Werror=uninitialized", "-Werror=maybe-uninitialized", "-Werror=sequence-point"]


def inputs():
    r = random.Random(1)
    edges = [0, 1, -1, 2, 3, 7, -8, 127, -128, 255, 32767, -32768, 65535, 2147483647, -2147483648]
    return [r.choice(edges) if r.random() < 0.4 else r.getrandbits(r.choice([4, 8, 16, 31])) - r.choice([0, 8]) for _ in range(2 * THREADS)]


def kernel(seeds):
    calls = [f"    out[g * {len(seeds)}u + {i}u] = n{seed}::entry(g, in[g], in[g + {THREADS}u]);" for i, seed in enumerate(seeds)]
    return ["kernel void k(device int *out [[buffer(0)]], device const int *in [[buffer(1)]], uint g [[thread_position_in_grid]]) {",
            *calls, "}"]


def as_cpp(lines, count):
    """The text for the host: no attributes, members of vectors by number, and a program that runs one thread after the other."""
    text = re.sub(r"\[\[[a-z_]+(\(\d\))?\]\]", "", "\n".join(lines))
    text = re.sub(r"\b(v\d+)\.([xyzw])\b", lambda m: f"{m[1]}[{'xyzw'.index(m[2])}]", text)
    return f"""#include "host.h"
{text}
int main(int, char **files)
{{
    static int in[{2 * THREADS}], out[{count * THREADS}];
    FILE *f = fopen(files[1], "rb");
    if (fread(in, sizeof in, 1, f) != 1) return 1;
    fclose(f);
    for (uint g = 0; g < {THREADS}; g++) k(out, in, g);
    f = fopen(files[2], "wb");
    fwrite(out, sizeof out, 1, f);
    return fclose(f);
}}
"""


class Bench:
    """One folder with a text at a time."""

    def __init__(self, ingot, compiler, folder):
        self.ingot, self.compiler, self.folder = ingot, compiler, folder
        with open(self.file("in.bin"), "wb") as f:
            f.write(struct.pack(f"<{2 * THREADS}i", *inputs()))

    def file(self, name):
        return os.path.join(self.folder, name)

    def numbers(self, name, count):
        with open(self.file(name), "rb") as f:
            return struct.unpack(f"<{count * THREADS}i", f.read()[-4 * count * THREADS:])

    def host(self, lines, count, flags):
        """What the machine's own compiler makes of it; a text where it makes nothing of it."""
        with open(self.file("k.cpp"), "w") as f:
            f.write(as_cpp(lines, count))
        quiet = [] if flags == WARY else ["-w"]
        done = subprocess.run([self.compiler, *BASE, *flags, *quiet, self.file("k.cpp"), "-o", self.file("k")], capture_output=True, text=True)
        if done.returncode != 0:
            return f"the host's compiler: {done.stderr[:2000]}"
        done = subprocess.run([self.file("k"), self.file("in.bin"), self.file("host.bin")], timeout=60)
        return self.numbers("host.bin", count) if done.returncode == 0 else f"on the host: exit code {done.returncode}"

    def device(self, lines, count, engine):
        with open(self.file("k.metal"), "w") as f:
            f.write("\n".join(["#include <metal_stdlib>", "using namespace metal;", *lines, ""]))
        command = [self.ingot, "msl", "run", self.file("k.metal"), "--engine", engine, "--grid", str(GROUPS), "--threads", str(THREADS // GROUPS),
                   "--buffer", f"0=zeros:int:{count * THREADS}", "--buffer", f"1=raw:{self.file('in.bin')}", "--out", f"0={self.file('out.npy')}"]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=500)
        except subprocess.TimeoutExpired:
            return f"engine {engine}: takes too long"
        return self.numbers("out.npy", count) if done.returncode == 0 else f"engine {engine}: {done.stderr.strip()[:2000]}"

    def problem(self, lines, count, engines):
        """What is wrong, or None."""
        want = self.host(lines, count, ["-O0"])
        if isinstance(want, str):
            return want
        for engine in engines:
            got = self.device(lines, count, engine)
            if isinstance(got, str):
                return got
            bad = [i for i in range(len(want)) if got[i] != want[i]]
            if bad:
                return f"engine {engine}: thread {bad[0] // count} gives {got[bad[0]]}, not {want[bad[0]]} ({len(bad)} differ)"
        return None

    def still_wrong(self, lines, engine):
        """Does a smaller program still differ, and have one meaning?"""
        got = self.device(lines, 1, engine)
        if isinstance(got, str):
            return False
        return all(not isinstance(want, str) and want != got for want in (self.host(lines, 1, ["-O0"]), self.host(lines, 1, WARY))) and \
            self.host(lines, 1, ["-O0"]) == self.host(lines, 1, ["-O2"])

    def shrink(self, lines, engine):
        """Leaves out runs of lines with balanced braces, and pairs of braces around lines, as long as the program stays wrong."""
        if not self.still_wrong(lines, engine):
            return lines
        before = None
        while before != lines:
            before, size = lines, max(1, len(lines) // 4)
            while size:
                at = 0
                while at < len(lines):
                    text, fewer = "".join(lines[at:at + size]), lines[:at] + lines[at + size:]
                    if text.count("{") == text.count("}") and self.still_wrong(fewer, engine):
                        lines = fewer
                    else:
                        at += 1
                size //= 2
        return lines


def check(bench, seeds, engines, show):
    """The seeds that fail, each printed."""
    programs = {seed: Generator(seed).program() for seed in seeds}
    together = [line for lines in programs.values() for line in lines] + kernel(seeds)
    if show:
        print("\n".join(together))
    if bench.problem(together, len(seeds), engines) is None:
        return []
    failed = []
    for seed, lines in programs.items():
        lines = lines + kernel([seed])
        problem = bench.problem(lines, 1, engines)
        if problem is None:
            continue
        failed.append(seed)
        engine = next((e for e in engines if problem.startswith(f"engine {e}: thread")), None)
        print(f"seed {seed}: {problem}", *(bench.shrink(lines, engine) if engine else []), sep="\n", flush=True)
    return failed


def main():
    options = argparse.ArgumentParser()
    options.add_argument("ingot")
    options.add_argument("--seed-start", type=int, default=1)
    options.add_argument("--count", type=int, default=100)
    options.add_argument("--minutes", type=float, default=0, help="go on so long, instead of --count programs")
    options.add_argument("--batch", type=int, default=12, help="programs compiled together")
    options.add_argument("--engines", default="vm,native")
    options.add_argument("--print", action="store_true")
    o = options.parse_args()
    compiler = shutil.which("g++") or shutil.which("clang++")
    if compiler is None:
        print("skipped: no C++ compiler here")
        return 77
    engines = o.engines.split(",")
    probe = subprocess.run([o.ingot, "air", "dis", os.devnull], capture_output=True, text=True)
    if "needs the AIR component" in probe.stderr:
        engines = [e for e in engines if e != "native"]
    if not engines:
        print(f"skipped: {probe.stderr.strip()}")
        return 77
    end, seed, failed = time.monotonic() + 60 * o.minutes, o.seed_start, []
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(o.ingot, compiler, folder)
        while time.monotonic() < end if o.minutes else seed < o.seed_start + o.count:
            last = seed + o.batch if o.minutes else min(seed + o.batch, o.seed_start + o.count)
            failed += check(bench, list(range(seed, last)), engines, o.print)
            seed = last
    print(f"{seed - o.seed_start} programs, {len(failed)} failed{': seeds ' + ' '.join(map(str, failed)) if failed else ''}")
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
