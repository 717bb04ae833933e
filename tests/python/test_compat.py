"""The compatibility layer: files written for Apache TVM, run in a process of their own. Expected values come from NumPy."""

import importlib.util
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HEADER = """
import numpy as np
import tvm
import tvm.testing
import tvm_ffi
from tvm.script import ir as I
from tvm.script import tirx as T
"""

MODULE = """
@I.ir_module(s_tir=True)
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32")):
        T.func_attr({"tirx.noalias": True})
        for tx in T.thread_binding(64, thread="threadIdx.x"):
            with T.sblock("B"):
                v = T.axis.spatial(64, tx)
                T.reads(A[v])
                T.writes(B[v])
                B[v] = A[v] * T.float32(3)
"""

RUN = """
a = np.arange(64, dtype="float32")
dev = tvm.metal(0)
x, y = tvm.runtime.tensor(a, dev), tvm.runtime.empty((64,), "float32", dev)
tvm.compile(Module, target="metal")(x, y)
dev.sync()
tvm.testing.assert_allclose(y.numpy(), a * 3, rtol=1e-6)
"""


def run(arguments, folder, **environment):
    return subprocess.run([sys.executable, "-B", "-m", "ingot.compat", *arguments], cwd=folder, capture_output=True, text=True,
                          check=False, env={**os.environ, **environment})


class Files(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def script(self, text, arguments=()):
        file = self.folder / "file.py"
        file.write_text(text)
        return run([str(file), *arguments], self.folder)

    def test_script(self):
        done = self.script(HEADER + MODULE + RUN + "import sys; print(sys.argv[1:])", ["one", "-m"])
        self.assertEqual((done.stderr, done.stdout, done.returncode), ("", "['one', '-m']\n", 0))

    def test_registry(self):
        done = self.script(HEADER + """
assert tvm.get_global_func("mine", allow_missing=True) is None
try:
    tvm.get_global_func("mine")
except LookupError:
    pass
tvm.register_global_func("mine", lambda x: x + 1)
print(tvm.get_global_func("mine")(1), tvm_ffi.get_global_func("mine")(2))
tvm_ffi.registry.remove_global_func("mine")
print(tvm.get_global_func("mine", allow_missing=True), callable(tvm.get_global_func("target.build.metal")))
""")
        self.assertEqual((done.stderr, done.stdout), ("", "2 3\nNone True\n"))

    def test_older_names(self):
        text = HEADER.replace("tirx as T", "tir as T") + """
@tvm.script.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((8,), "float32"), B: T.Buffer((8,), "float32")):
        for tx in T.thread_binding(8, thread="threadIdx.x"):
            with T.block("b"):
                v = T.axis.spatial(8, tx)
                B[v] = A[v] - T.float32(1)

a = np.arange(8, dtype="float32")
x, y = tvm.nd.array(a, tvm.metal()), tvm.nd.empty((8,), "float32", tvm.metal())
run = tvm.build(tvm.IRModule({"main": Module["main"]}), tvm.target.Target("metal", host="llvm"))
run["main"](x, y)
np.testing.assert_array_equal(y.numpy(), a - 1)
assert "kernel void main_kernel" in run.imported_modules[0].get_source()
"""
        self.assertEqual(self.script(text).stderr, "")

    def test_registry_is_one(self):
        text = HEADER + MODULE + """
import ingot
seen = []
tvm.register_global_func("tvm_callback_metal_compile", lambda s, t: (seen.append(t.kind.name), (s, "metal"))[1])
assert tvm_ffi.registry.get_global_func("tvm_callback_metal_compile", True) is not None
tvm.compile(Module, target="metal")
ingot.compile(Module)
tvm_ffi.registry.remove_global_func("tvm_callback_metal_compile")
assert seen == ["metal", "metal"] and ingot.list_global_func_names() == [], seen
assert tvm.script is ingot.script and tvm.IRModule is ingot.IRModule
"""
        self.assertEqual(self.script(text).stderr, "")

    def test_targets_and_devices(self):
        text = HEADER + """
import os
from tvm.testing import device_enabled
for target in ("metal", {"kind": "metal", "max_num_threads": 512}, tvm.target.Target("metal"), "apple/m1-gpu"):
    assert device_enabled(target) and tvm.device_from_target(target) == tvm.metal(0), target
assert not device_enabled("cuda") and not device_enabled({"kind": "vulkan", "supports_int64": True})
os.environ["TVM_TEST_TARGETS"] = "cuda;llvm"
assert not device_enabled("metal") and tvm.testing.enabled_targets() == []
with tvm.target.Target("apple/m2-gpu") as around:
    assert tvm.target.Target.current() is around
assert tvm.target.Target.current() is None

@T.prim_func
def wide(A: T.Buffer((1024,), "int32")):
    for tx in T.thread_binding(1024, thread="threadIdx.x"):
        A[tx] = tx

out = tvm.runtime.empty((1024,), "int32", tvm.metal(0))
tvm.compile(wide, target="metal")(out)
np.testing.assert_array_equal(out.numpy(), np.arange(1024))
"""
        self.assertEqual(self.script(text).stderr, "")

    def test_compile_metal(self):
        """Apple's compiler is not there; a metallib comes of it where the component that makes them is."""
        text = HEADER + MODULE + """
from tvm.support import xcode
tvm.register_global_func("tvm_callback_metal_compile", lambda source, target: xcode.compile_metal(source), override=True)
try:
""" + "".join("    " + line + "\n" for line in RUN.splitlines()) + """
    print(tvm.compile(Module, target="metal").imports[0].format)
except Exception as exception:
    print(type(exception).__name__)
"""
        self.assertIn(self.script(text).stdout.split(), (["metallib"], ["MissingTool"]))

    def test_same_programs(self):
        """A function's name is no part of it, and what does nothing neither."""
        self.assertEqual(self.script(HEADER + """
@T.prim_func
def f(A: T.Buffer((4,), "float32")):
    for i in T.thread_binding(4, thread="threadIdx.x"):
        A[i] = A[i] + T.float32(1)

def made(n, by):
    @T.prim_func
    def g(A: T.Buffer((n,), "float32")):
        for i in T.thread_binding(n, thread="threadIdx.x"):
            A[i] = A[i] + T.float32(by)
        T.evaluate(0)
    return g

tvm.ir.assert_structural_equal(f, made(4, 1).with_attr("global_symbol", "main"))
tvm.ir.assert_structural_equal(f, tvm.script.from_source(f.script()))
print(tvm.ir.structural_equal(f, made(4, 2)), tvm.ir.structural_equal(f, made(5, 1)))
try:
    tvm.ir.assert_structural_equal(f, made(4, 2))
except ValueError as error:
    print(str(error).count("A[i] = A[i] + "))
""").stdout, "False False\n2\n")

    def test_views(self):
        self.assertEqual(self.script(HEADER + """
x = tvm.runtime.tensor(np.arange(8, dtype="int32"))
print(x._create_view([2, 2], relative_byte_offset=16).numpy().tolist())
""").stdout, "[[4, 5], [6, 7]]\n")

    def test_missing_parts_are_named(self):
        self.assertIn("has no module tvm.relax", self.script("import tvm.relax").stderr)
        self.assertIn("cannot import name 'te'", self.script("from tvm import te").stderr)
        configured = "import tvm.transform\ntvm.transform.PassContext(config={'tirx.UnrollLoop': 1})"
        self.assertIn("tirx.UnrollLoop", self.script(configured).stderr)
        self.assertIn("llvm", self.script("import tvm\ntvm.target.Target('llvm')").stderr)

    def test_another_tvm_is_not_replaced(self):
        code = "import sys, types; sys.modules['tvm'] = types.ModuleType('tvm'); import ingot.compat as c; c.install()"
        done = subprocess.run([sys.executable, "-B", "-c", code], capture_output=True, text=True, check=False)
        self.assertIn("imported already", done.stderr)

    def test_usage(self):
        self.assertEqual(run([], self.folder).returncode, 2)
        self.assertIn("usage:", run(["--help"], self.folder).stdout)

    @unittest.skipUnless(importlib.util.find_spec("pytest"), "pytest is not installed")
    def test_pytest(self):
        (self.folder / "test_file.py").write_text(HEADER + "import pytest\nfrom tvm.testing import env\n" + MODULE + """
@pytest.mark.gpu
@pytest.mark.skipif(not env.has_metal(), reason="need metal")
def test_passes():
""" + "".join("    " + line + "\n" for line in RUN.splitlines()) + """
@pytest.mark.skipif(not env.has_cuda(), reason="need cuda")
def test_skipped():
    assert False

@tvm.testing.requires_vulkan
def test_skipped_too():
    assert False

@tvm.testing.requires_metal
def test_needs_a_tool():
    from tvm.support import xcode
    tvm.compile(Module, target=env and "metal", **{}) and xcode.compile_metal("kernel")

def test_fails():
    assert False

n = tvm.testing.parameter(1, 2)
low, high = tvm.testing.parameters((1, 2), (3, 4), (5, 6))

def test_parameters(n, low, high):
    assert n in (1, 2) and high == low + 1

@tvm.testing.parametrize_targets("llvm", "metal")
def test_targets(target, dev):
    assert target == "metal" and dev == tvm.metal(0)
""")
        done = run(["-m", "pytest", "-q", "-p", "no:cacheprovider", "--strict-markers"], self.folder, INGOT_AIR="missing.so")
        self.assertIn("1 failed, 8 passed, 3 skipped", done.stdout, done.stderr)
        self.assertIn("FAILED test_file.py::test_fails", done.stdout)


if __name__ == "__main__":
    unittest.main()
