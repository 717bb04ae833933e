"""Ingot and the real Apache TVM: the programs of the suite built by both. The Metal text that TVM emits runs on the software device
under Ingot's host part, so kernels' names, the order of their arguments and their launches must agree, and what comes out must
be what the program's NumPy reference says; the bytes of TVM's device modules are read, and written again the same.

usage: test_tvm.py [--all]; --all goes through the whole suite and says of each program how it ended
"""

import ast
import ctypes
import importlib.util
import math
import os
import re
import struct
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import ingot  # before tvm: what it registers must not be in the way of tvm's own names
import ingot.tvm_ffi
import numpy as np
import tvm
from ingot._lib import Error, lib
from suite import SUITE, run_library, run_suite

COMMAND = os.environ["INGOT_COMMAND"]

# Programs of several kinds that TVM builds as the suite has them.
PROGRAMS = ["attention/online.py", "boundary/predicate_tail.py", "broadcast/symbolic.py", "control/two_stages.py",
            "reduction/cross_sum_100.py", "transpose/shared.py"]

# Stands in for the callback: TVM's text of the kernel that it is given.
CALLBACK = """
import re, sys
name = re.search(r"kernel void (\\w+)\\(", sys.stdin.read()).group(1)
sys.stdout.write(open(sys.argv[1] + "/" + name + ".metal").read())
"""


def blob_of(library):
    """The serialised imports of a library that TVM exported: pairs of kind and bytes."""
    symbol = "__tvm_ffi__library_bin"
    size = ctypes.c_uint64.in_dll(library, symbol).value
    data = bytes((ctypes.c_ubyte * (8 + size)).in_dll(library, symbol))[8:]
    words = lambda at, n: struct.unpack_from(f"<{n}Q", data, at)  # noqa: E731
    (rows,) = words(0, 1)
    at = 8 + 8 * rows
    at += 8 + 8 * words(at, 1)[0]
    for _ in range(rows - 1):
        (length,) = words(at, 1)
        kind, at = data[at + 8 : at + 8 + length].decode(), at + 8 + length
        if kind != "_lib":
            (length,) = words(at, 1)
            yield kind, data[at + 8 : at + 8 + length]
            at += 8 + length


def adapted(text):
    """A program as this TVM wants it: blocks only in functions that say so, newer names, definitions in the file itself."""
    for node in ast.parse(text).body:
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "defines":
            text = "".join(f"{name} = {value!r}\n" for name, value in ast.literal_eval(node.value).items()) + text
    text = re.sub(r"@T\.prim_func\b(?!\()", "@T.prim_func(s_tir=True)", text)
    text = re.sub(r"@I\.ir_module\b(?!\()", "@I.ir_module(s_tir=True)", text)
    return text.replace("import tir as T", "import tirx as T").replace("T.block(", "T.sblock(")


def execute(path, name):
    """The program that a file defines, as TVM reads it."""
    spec = importlib.util.spec_from_file_location(name, path)
    program = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = program  # where TVM looks a class's source up
    program.np, program.math = np, math
    spec.loader.exec_module(program)
    values = list(vars(program).values())
    modules = [v for v in values if isinstance(v, tvm.IRModule)]
    functions = [v for v in values if isinstance(v, tvm.tirx.PrimFunc)]
    return modules[0] if modules else tvm.IRModule({"main": functions[0]})


def build(path, folder):
    """TVM's library of a program: its path, its kernels' texts by name, and the bytes of its device module."""
    file, library = Path(folder, "adapted_" + path.name), folder + "/library.so"
    file.write_text(adapted(path.read_text()))
    built = tvm.compile(execute(file, "program_" + path.stem), target="metal")
    texts = dict(re.findall(r"// Function: (\w+)\n(.*?)(?=\n// Function: |\Z)", built.mod.imports[0].inspect_source(), re.DOTALL))
    built.export_library(library)
    (found,) = [data for kind, data in blob_of(ctypes.CDLL(library, ctypes.RTLD_LOCAL)) if kind == "metal"]
    return library, texts, found


def run_kernels(path, texts):
    """TVM's kernels under Ingot's host code."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in texts.items():
            Path(folder, name + ".metal").write_text(text)
        Path(folder, "callback.py").write_text(CALLBACK)
        return run_suite(path, f"'{COMMAND}' \"$@\" --metal-compile '\"{sys.executable}\" {folder}/callback.py {folder}' "
                               "--metal-compile-format metal")


def read_and_write(data):
    """TVM's bytes through Ingot's reader and writer."""
    out, error = ctypes.c_void_p(), Error()
    if lib.ingot_module_device_load(data, len(data), None, ctypes.byref(out), ctypes.byref(error)):
        raise AssertionError(error.message.decode())
    module = ingot.Module(out.value)
    return module, module.imports[0].save_to_bytes()


class Programs(unittest.TestCase):
    def test_texts_and_bytes(self):
        for name in PROGRAMS:
            with self.subTest(program=name):
                folder = self.enterContext(tempfile.TemporaryDirectory())
                library, texts, data = build(SUITE / name, folder)
                self.assertIsNone(run_kernels(SUITE / name, texts))
                self.assertIsNone(run_library(SUITE / name, library))
                module, again = read_and_write(data)
                self.assertEqual(again, data)
                self.assertEqual({k.name: k.payload.decode() for k in module.kernels}.keys(), texts.keys())

    def test_both_in_one_process(self):
        """TVM's own functions are all there, and a callback that is registered once serves both."""
        self.assertIsNotNone(tvm.get_global_func("target.build.metal", allow_missing=True))
        seen = []

        def callback(source, target):
            seen.append(target.kind.name)
            return source, "metal"

        tvm.register_global_func("tvm_callback_metal_compile", callback, override=True)
        try:
            path = SUITE / PROGRAMS[0]
            build(path, self.enterContext(tempfile.TemporaryDirectory()))
            theirs = len(seen)
            ingot.compile(path.read_text())
        finally:
            import tvm_ffi

            tvm_ffi.registry.remove_global_func("tvm_callback_metal_compile")
        self.assertGreater(theirs, 0)
        self.assertGreater(len(seen), theirs)
        self.assertEqual(set(seen), {"metal"})


ADD_ONE = """
from tvm.script import tirx as T


@T.prim_func
def main(A: T.Buffer((1024,), "float32"), B: T.Buffer((1024,), "float32")):
    for bx in T.thread_binding(32, thread="blockIdx.x"):
        for tx in T.thread_binding(32, thread="threadIdx.x"):
            B[bx * 32 + tx] = A[bx * 32 + tx] + T.float32(1)
"""

TEMPORARY = """
from tvm.script import tirx as T


@T.prim_func
def main(A: T.Buffer((1024,), "float32"), B: T.Buffer((1024,), "float32")):
    M = T.alloc_buffer((1024,), "float32")
    for bx in T.thread_binding(32, thread="blockIdx.x"):
        for tx in T.thread_binding(32, thread="threadIdx.x"):
            M[bx * 32 + tx] = A[bx * 32 + tx] * T.float32(2)
    for bx in T.thread_binding(32, thread="blockIdx.x"):
        for tx in T.thread_binding(32, thread="threadIdx.x"):
            B[bx * 32 + tx] = M[bx * 32 + tx] * T.float32(0.5) + T.float32(1)
"""

ORDERS = """
import sys
import {first}
import {second}
import ingot.tvm_ffi
ingot.tvm_ffi.install()
import tvm, tvm_ffi
from tvm.script import tirx
print(tvm_ffi.get_global_func(ingot.tvm_ffi.LOADER, allow_missing=True) is not None, tvm.get_global_func("target.build.metal") is not None)
"""


class Loader(unittest.TestCase):
    """Libraries with a "metal" import, in a process with tvm itself."""

    def setUp(self):
        ingot.tvm_ffi.install()
        self.addCleanup(ingot.tvm_ffi.uninstall)
        self.a = np.arange(1024, dtype="float32")

    def check(self, module):
        x, y = ingot.runtime.tensor(self.a), ingot.runtime.empty((1024,))
        module["main"](x, y)
        np.testing.assert_array_equal(y.numpy(), self.a + 1)
        with self.assertRaisesRegex(ValueError, "device_type"):
            module["main"](self.a, y)

    def test_of_tvm_and_of_ingot(self):
        folder = self.enterContext(tempfile.TemporaryDirectory())
        path = Path(folder, "add_one.py")
        path.write_text(ADD_ONE)
        library, _, _ = build(path, folder)
        self.check(tvm.runtime.load_module(library))
        ingot.compile(path.read_text()).export_library(folder + "/own.so", shape="tvm")
        self.check(tvm.runtime.load_module(folder + "/own.so"))

    def test_temporaries(self):
        """TVM's runtime here has none for Metal, and keeps its own for the CPU."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "temporary.py")
            path.write_text(TEMPORARY)
            library, _, _ = build(path, folder)
            self.check(tvm.runtime.load_module(library))

    def test_orders_of_import(self):
        for first, second in (("tvm", "ingot"), ("ingot", "ingot.tvm_ffi; ingot.tvm_ffi.install()")):
            done = subprocess.run([sys.executable, "-B", "-c", ORDERS.format(first=first, second=second)], capture_output=True, text=True,
                                  check=False)
            self.assertEqual((done.stdout, done.returncode), ("True True\n", 0), done.stderr)


def everything():
    counts = {}
    for path in sorted(SUITE.glob("*/*.py")):
        name, why = str(path.relative_to(SUITE)), ""
        with tempfile.TemporaryDirectory() as folder:
            try:
                library, texts, data = build(path, folder)
                same = read_and_write(data)[1] == data
                problem = run_library(path, library)
                end, why = ("right", "") if problem is None and same else ("differs", str(problem).strip().splitlines()[0])
                if end == "right" and run_kernels(path, texts) is not None:
                    end = "right, only with TVM's host code"
            except Exception as exception:
                words = [line for line in str(exception).splitlines() if line.strip(" |^")] or [type(exception).__name__]
                end, why = "TVM refuses", next((line for line in words if "error" in line), words[-1])
        counts[end] = counts.get(end, 0) + 1
        print(f"{end:12} {name:40} {why[:200]}", flush=True)
    print(counts)


if __name__ == "__main__":
    if "--all" in sys.argv:
        everything()
    else:
        unittest.main(argv=[sys.argv[0]])
