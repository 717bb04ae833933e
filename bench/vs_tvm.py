"""Ingot beside Apache TVM, in one run: script to module, import, memory, size.

usage: vs_tvm.py [JSON]     with the Python of an environment that has apache-tvm; INGOT_LIBRARY names libingot, PYTHONPATH the package

Times are the least of many runs, in ms. "Script to module": the file is executed, which hands its programs to the parser, and compiled for Metal; the
file's Python is the same but for the import line. That is time of the processor, so that what else runs counts less; an import is
waited for: a median of the clock.
"""

import importlib.util
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SEED = '''
@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((1024,), "float32"), B: T.Buffer((1024,), "float32")):
        for bx in T.thread_binding(32, thread="blockIdx.x"):
            for tx in T.thread_binding(32, thread="threadIdx.x"):
                B[bx * 32 + tx] = A[bx * 32 + tx] + T.float32(1)
'''

GEMM = '''
@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((256, 256), "float32"), B: T.Buffer((256, 256), "float32"), C: T.Buffer((256, 256), "float32")):
        As = T.alloc_buffer((16, 16), scope="shared")
        Bs = T.alloc_buffer((16, 16), scope="shared")
        acc = T.alloc_buffer((1,), scope="local")
        for by in T.thread_binding(16, thread="blockIdx.y"):
            for bx in T.thread_binding(16, thread="blockIdx.x"):
                for ty in T.thread_binding(16, thread="threadIdx.y"):
                    for tx in T.thread_binding(16, thread="threadIdx.x"):
                        acc[0] = T.float32(0)
                        for k in range(16):
                            As[ty, tx] = A[by * 16 + ty, k * 16 + tx]
                            Bs[ty, tx] = B[k * 16 + ty, bx * 16 + tx]
                            T.tvm_storage_sync("shared")
                            for i in range(16):
                                acc[0] = acc[0] + As[ty, i] * Bs[i, tx]
                            T.tvm_storage_sync("shared")
                        C[by * 16 + ty, bx * 16 + tx] = acc[0]
'''


def hundred():
    """A function with a hundred kernels."""
    lines = ["", "@I.ir_module", "class Module:", "    @T.prim_func",
             '    def main(A: T.Buffer((1024,), "float32"), B: T.Buffer((1024,), "float32")):']
    for i in range(100):
        lines += ['        for bx in T.thread_binding(32, thread="blockIdx.x"):',
                  '            for tx in T.thread_binding(32, thread="threadIdx.x"):',
                  f"                B[bx * 32 + tx] = A[bx * 32 + tx] * T.float32({i + 1}) + T.float32({i})"]
    return "\n".join(lines) + "\n"


PROGRAMS = {"seed": SEED, "hundred_kernels": hundred(), "gemm": GEMM}
IMPORT = "from {}.script import ir as I\nfrom {}.script import tirx as T\n"


def execute(path, count):
    """The program that a file defines, executed as a module of its own."""
    spec = importlib.util.spec_from_file_location(f"program_{count}", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    del sys.modules[spec.name]
    return module.Module


def measure(package, compiles, texts_too):
    """The least by program; leaves out what the package cannot build, with its words."""
    figures = {}
    with tempfile.TemporaryDirectory() as folder:
        for name, text in PROGRAMS.items():
            path = Path(folder, f"{package}_{name}.py")
            path.write_text(IMPORT.format(package, package) + text)
            runs, budget = [], time.perf_counter() + 8
            try:
                while len(runs) < 3 or (time.perf_counter() < budget and len(runs) < 200):
                    start = time.process_time()
                    compiles(execute(path, f"{package}_{name}_{len(runs)}"))
                    runs.append(time.process_time() - start)
            except Exception as exception:
                figures[name] = str(exception).strip().splitlines()[-1]
                continue
            figures[name] = min(runs) * 1e3
            if texts_too:
                runs = []
                for _ in range(50):
                    start = time.process_time()
                    compiles(text)
                    runs.append(time.process_time() - start)
                figures[name + "_from_text"] = min(runs) * 1e3
    return figures


def process(code):
    """A process that runs it: the median of its time in ms, and its peak memory in MB."""
    times, peak = [], 0.0
    code += "\nprint(next(line.split()[1] for line in open('/proc/self/status') if line.startswith('VmHWM')))"
    for _ in range(5):
        start = time.perf_counter()
        out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
        times.append(time.perf_counter() - start)
        peak = float(out.split()[-1]) / 1024
    return statistics.median(times) * 1e3, peak


def installed(*roots):
    """MB of the files below, without Python's caches."""
    return sum(f.stat().st_size for root in roots for f in Path(root).rglob("*") if f.is_file() and f.suffix != ".pyc") / 1e6


def size_of_ingot():
    """The package with its library stripped, as a wheel holds it."""
    import ingot

    with tempfile.TemporaryDirectory() as folder:
        library = Path(folder, "libingot.so")
        shutil.copyfile(os.environ.get("INGOT_LIBRARY") or next(Path(ingot.__file__).parent.glob("libingot.*")), library)
        subprocess.run(["strip", str(library)], check=False)
        package = Path(ingot.__file__).parent
        python = sum(f.stat().st_size for f in package.rglob("*.py"))
        return (python + library.stat().st_size) / 1e6


def peak_of(package):
    """Peak memory of a process that compiles the seed program."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "seed.py")
        path.write_text(IMPORT.format(package, package) + SEED)
        compiles = "import ingot; ingot.compile(p.Module)" if package == "ingot" else "import tvm; tvm.compile(p.Module, target='metal')"
        code = ("import importlib.util, sys\n"
                f"s = importlib.util.spec_from_file_location('p', {str(path)!r}); p = importlib.util.module_from_spec(s)\n"
                f"sys.modules['p'] = p; s.loader.exec_module(p); {compiles}")
        return process(code)[1]


def main():
    import ingot
    import tvm
    import tvm_ffi

    figures = {"ingot": measure("ingot", ingot.compile, True),
               "tvm": measure("tvm", lambda module: tvm.compile(module, target="metal"), False)}
    empty, _ = process("pass")
    numpy, _ = process("import numpy")
    for package in ("ingot", "tvm"):
        whole, peak = process(f"import {package}")
        figures[package].update(import_ms=whole - empty, import_without_numpy_ms=whole - numpy, import_peak_mb=peak,
                                compile_peak_mb=peak_of(package))
    figures["ingot"]["installed_mb"] = size_of_ingot()
    figures["tvm"]["installed_mb"] = installed(Path(tvm.__file__).parent, Path(tvm_ffi.__file__).parent)
    print(f"ingot {ingot.__version__}, tvm {tvm.__version__}, tvm_ffi {tvm_ffi.__version__}, Python {sys.version.split()[0]}, "
          f"load {os.getloadavg()[0]:.1f}")
    print(f"  {'':32} {'ingot':>12} {'tvm':>12} {'tvm / ingot':>12}")
    for name, ours in figures["ingot"].items():
        theirs = figures["tvm"].get(name, figures["tvm"].get(name.replace("_from_text", "")))
        both = isinstance(ours, float) and isinstance(theirs, float)
        print(f"  {name:32} {ours:12.3f} {theirs:12.3f} {theirs / ours:12.1f}" if both else f"  {name:32} {ours} | {theirs}")
    if len(sys.argv) > 1:
        Path(sys.argv[1]).write_text(json.dumps(figures, indent=2) + "\n")


if __name__ == "__main__":
    main()
