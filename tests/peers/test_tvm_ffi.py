"""Ingot and the real tvm-ffi in one process: one registry, whichever came first; every form of result; exceptions; threads;
re-entry; no leaks; libraries in TVM's shape.

usage: test_tvm_ffi.py [--all]; --all takes the whole suite through libraries in TVM's shape and says what was wrong
"""

import ctypes
import json
import os
import resource
import struct
import subprocess
import sys
import tempfile
import threading
import unittest

import numpy as np
import tvm_ffi

BEFORE = set(tvm_ffi.registry.list_global_func_names())

import ingot  # noqa: E402
from suite import SUITE, run_library  # noqa: E402
import ingot.tvm_ffi  # noqa: E402
from ingot.script import tirx as T  # noqa: E402

CALLBACK = "tvm_callback_metal_compile"


@T.prim_func
def add_one(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32")):
    for tx in T.thread_binding(64, thread="threadIdx.x"):
        B[tx] = A[tx] + T.float32(1)


def payload():
    return ingot.compile(add_one).kernels[0].payload


def register(f):
    tvm_ffi.register_global_func(CALLBACK, f, override=True)


FIRST = '''
import ingot
from ingot.script import tirx as T
script = """
@T.prim_func
def f(A: T.Buffer((4,), "float32")):
    for i in T.thread_binding(4, thread="threadIdx.x"):
        A[i] = T.float32(1)
"""
name = "tvm_callback_metal_compile"
show = lambda: print(ingot.compile(script).kernels[0].payload[:6].decode())
ingot.register_global_func(name, lambda source, target: ("own" + type(target).__name__, "metal"))
ingot.register_global_func("both", lambda: "earlier")
show()
import tvm_ffi
tvm_ffi.register_global_func("both", lambda: "later")
show()
print(tvm_ffi.get_global_func("both")(), ingot.get_global_func("both")())
tvm_ffi.register_global_func(name, lambda source, target: ("theirs", "metal"), override=True)
show()
tvm_ffi.registry.remove_global_func(name)
show()
'''


def alone(text):
    """Runs a program in a process of its own; its lines of output."""
    done = subprocess.run([sys.executable, "-B", "-c", text], capture_output=True, text=True, check=False)
    if done.returncode:
        raise AssertionError(done.stderr)
    return done.stdout.splitlines()


class Case(unittest.TestCase):
    def tearDown(self):
        if tvm_ffi.get_global_func(CALLBACK, allow_missing=True) is not None:
            tvm_ffi.registry.remove_global_func(CALLBACK)


class Registry(Case):
    def test_names_at_load(self):
        ingot.get_global_func("none of that name", allow_missing=True)
        added = set(tvm_ffi.registry.list_global_func_names()) - BEFORE
        self.assertIn("ingot.version", added)
        self.assertEqual([name for name in added if not name.startswith("ingot.")], [])
        self.assertEqual(tvm_ffi.get_global_func("ingot.version")(), ingot.__version__)

    def test_last_registration_counts(self):
        register(lambda source, target: ("theirs", "metal"))
        self.assertEqual(payload(), b"theirs")
        ingot.register_global_func(CALLBACK, lambda source, target: ("ours", "metal"), override=True)
        self.assertEqual(payload(), b"ours")
        self.assertEqual(list(tvm_ffi.get_global_func(CALLBACK)("", None)), ["ours", "metal"])
        register(lambda source, target: ("theirs", "metal"))
        self.assertEqual(payload(), b"theirs")
        with self.assertRaisesRegex(RuntimeError, "already registered"):
            ingot.register_global_func(CALLBACK, print)
        tvm_ffi.registry.remove_global_func(CALLBACK)
        self.assertIn(b"kernel void", payload())
        register(lambda source, target: ("theirs", "metal"))
        ingot.remove_global_func(CALLBACK)
        self.assertIsNone(tvm_ffi.get_global_func(CALLBACK, allow_missing=True))
        self.assertIn(b"kernel void", payload())

    def test_ingot_comes_first(self):
        self.assertEqual(alone(FIRST), ["ownTar", "ownTar", "later later", "theirs", "#inclu"])

    def test_values(self):
        pairs = [None, True, False, 0, -(1 << 63), (1 << 63) - 1, 0.5, "", "seven..", "eight...", "snow \N{SNOWMAN}", b"", b"\0\xff",
                 b"longer than seven", (), (1, ("in", b"ner"))]
        tvm_ffi.register_global_func("test.theirs", lambda *args: args, override=True)
        ingot.register_global_func("test.ours", lambda *args: args, override=True)
        for name in ("test.theirs", "test.ours"):
            found = ingot.get_global_func(name)(*pairs)
            self.assertEqual(found, tuple(pairs))
            self.assertEqual([type(value) for value in found], [type(value) for value in pairs])
            ingot.remove_global_func(name)


class Forms(Case):
    def test_payload_and_format(self):
        long = "x" * 1000
        for text in ("p", "seven..", "eight...", long):
            forms = [(text, "metal"), [text, "metal"], (text.encode(), "metal"), (bytearray(text.encode()), "metal"),
                     [text, b"metal"], tvm_ffi.convert((text, "metal"))]
            if hasattr(tvm_ffi, "List"):
                forms.append(tvm_ffi.List([text, "metal"]))
            for form in forms:
                register(lambda source, target, form=form: form)
                run = ingot.compile(add_one)
                self.assertEqual((run.format, run.kernels[0].payload), ("metal", text.encode()))
            for form in (text, text.encode(), bytearray(text.encode()), (text, "metallib")):
                register(lambda source, target, form=form: form)
                run = ingot.compile(add_one)
                self.assertEqual((run.format, run.kernels[0].payload), ("metallib", text.encode()))

    def test_refused_by_name(self):
        class Thing:
            pass

        cases = [(None, "None"), (3, "an int"), (True, "a bool"), (2.5, "a float"), ({"a": 1}, "a dict"), (Thing(), "Thing"),
                 ({1, 2}, "set"), (np.zeros(3, "float32"), "a tensor"), (lambda: 1, "a function"), ("", "empty payload"),
                 (("p", "air"), 'unsupported format "air"'), (("p",), "a tuple of size 1"), ((None, "metal"), "payload is None"),
                 (("p", 3), "format is an int"), (("p", "metal", 1), "a tuple of size 3")]
        for value, expected in cases:
            register(lambda source, target, value=value: value)
            with self.subTest(value=value), self.assertRaisesRegex(ingot.IngotError, CALLBACK) as caught:
                ingot.compile(add_one)
            self.assertIn(expected, str(caught.exception))

    def test_arguments(self):
        seen = []
        register(lambda source, target: (seen.append((source, target)), (source, "metal"))[1])
        run = ingot.compile(add_one, target={"kind": "metal", "max_num_threads": 512})
        (source, target), = seen
        self.assertIsInstance(source, str)
        self.assertEqual(source, run.kernels[0].source)
        self.assertEqual((target.kind.name, target.attrs["max_num_threads"], target.attrs.get("libs", None)), ("metal", 512, None))
        self.assertIn('"max_num_threads": 512', str(target))
        self.assertIsInstance(target, ingot.Target)


class Calls(Case):
    def test_exceptions(self):
        for kind in (ValueError, TypeError, KeyError, RuntimeError, IndexError, AttributeError, AssertionError):
            def fail(source, target, kind=kind):
                raise kind("of its own\nin two lines")

            register(fail)
            with self.assertRaises(kind) as caught:
                ingot.compile(add_one)
            self.assertIs(type(caught.exception), kind)
            self.assertIn("of its own", str(caught.exception))

    def test_exceptions_of_other_classes(self):
        class Odd(Exception):
            pass

        raised = Odd("text")

        def fail(source, target):
            raise raised

        ingot.register_global_func(CALLBACK, fail)
        with self.assertRaises(Odd) as caught:
            ingot.compile(add_one)
        self.assertIs(caught.exception, raised)
        register(fail)  # tvm-ffi itself makes classes that it does not know RuntimeError
        with self.assertRaisesRegex(RuntimeError, "text"):
            ingot.compile(add_one)

    def test_earlier_error_is_not_taken_for_a_later_one(self):
        def fail(source, target):
            raise ValueError("first")

        register(fail)
        with self.assertRaises(ValueError):
            ingot.compile(add_one)
        register(lambda source, target: None)
        with self.assertRaises(ingot.IngotError) as caught:
            ingot.compile(add_one)
        self.assertNotIn("first", str(caught.exception))

    def test_threads(self):
        failed, stop = [], threading.Event()

        def compiles():
            try:
                for _ in range(40):
                    if payload() not in (b"even", b"odd"):
                        failed.append("payload")
            except BaseException as exception:
                failed.append(exception)

        def registers():
            i = 0
            while not stop.is_set():
                register(lambda source, target, i=i: ("even" if i % 2 else "odd", "metal"))
                ingot.register_global_func(f"test.{i}", lambda: 1)
                tvm_ffi.registry.remove_global_func(f"test.{i}")
                i += 1

        register(lambda source, target: ("odd", "metal"))
        threads = [threading.Thread(target=compiles) for _ in range(4)]
        other = threading.Thread(target=registers)
        for thread in (*threads, other):
            thread.start()
        for thread in threads:
            thread.join()
        stop.set()
        other.join()
        self.assertEqual(failed, [])

    def test_reentry(self):
        inner = []

        def callback(source, target):
            inner.append(ingot.compile(add_one, callback=False).inspect_source())
            ingot.register_global_func(CALLBACK, lambda source, target: ("next", "metal"), override=True)
            return source, "metal"

        register(callback)
        self.assertIn(b"kernel void", payload())
        self.assertEqual(len(inner), 1)
        self.assertEqual(payload(), b"next")

    def test_memory_is_flat(self):
        ingot.register_global_func("test.ours", lambda *args: args, override=True)
        tvm_ffi.register_global_func("test.theirs", lambda *args: args, override=True)
        functions = [ingot.get_global_func("test.ours"), ingot.get_global_func("test.theirs"), tvm_ffi.get_global_func("test.ours")]
        count = int(sys.argv[sys.argv.index("--calls") + 1]) if "--calls" in sys.argv else 20000

        def work(times):
            for _ in range(times):
                for f in functions:
                    f("a text of some length", b"bytes of some length", 1, 2.5, None, ("in", "ner"))

        work(1000)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        work(count // 3)
        grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
        self.assertLess(grown, 1024, f"{grown} KiB more after {count} calls")
        for name in ("test.ours", "test.theirs"):
            tvm_ffi.registry.remove_global_func(name)


class Exported(Case):
    """Libraries for `tvm_ffi.load_module`."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = folder.name + "/module.so"

    def test_opens_and_runs(self):
        ingot.compile(add_one).export_library(self.path)
        module = tvm_ffi.load_module(self.path)
        a, b = np.arange(64, dtype="float32"), np.zeros(64, "float32")
        module.add_one(a, b)
        np.testing.assert_array_equal(b, a + 1)
        b[:] = 0
        module(tvm_ffi.from_dlpack(a), tvm_ffi.from_dlpack(b))  # the only function is also the module's own
        np.testing.assert_array_equal(b, a + 1)
        with self.assertRaisesRegex(TypeError, "dtype"):
            module.add_one(a.astype("int32"), b)
        with self.assertRaisesRegex(ValueError, "shape"):
            module.add_one(a[:32], b)
        with self.assertRaises(TypeError):
            module.add_one(a)
        with self.assertRaisesRegex(ValueError, "overlap"):
            module.add_one(*overlapping())
        again = ingot.load_module(self.path)
        again(a, b)
        np.testing.assert_array_equal(b, a + 1)

    def test_metadata(self):
        ingot.compile(add_one).export_library(self.path)
        module = tvm_ffi.load_module(self.path)
        if not hasattr(module, "get_function_metadata"):
            self.skipTest("this release has no metadata")
        metadata = module.get_function_metadata("add_one")
        schema = metadata["type_schema"] if isinstance(metadata, dict) else metadata
        self.assertEqual(json.loads(schema), {"type": "ffi.Function", "args": [
            {"type": "None"}, {"type": "ffi.Tensor"}, {"type": "ffi.Tensor"}]})
        if hasattr(module, "get_function_doc"):
            self.assertIn("add_one(A: Tensor([64], float32)", module.get_function_doc("add_one"))

    def test_without_the_package(self):
        """A process that has not imported ingot finds the library by INGOT_LIBRARY, and says so where it does not."""
        ingot.compile(add_one).export_library(self.path)
        text = f"""
import numpy as np, tvm_ffi, sys
a, b = np.arange(64, dtype="float32"), np.zeros(64, "float32")
try:
    tvm_ffi.load_module({self.path!r}).add_one(a, b)
    print(np.array_equal(b, a + 1), "ingot" in sys.modules)
except RuntimeError as error:
    print(error)
"""
        self.assertEqual(alone(text), ["True False"])
        done = subprocess.run([sys.executable, "-B", "-c", text], capture_output=True, text=True, check=False,
                              env={**os.environ, "INGOT_LIBRARY": "/none/libingot.so"})
        self.assertIn("import ingot first, or set INGOT_LIBRARY", done.stdout)


DOUBLE = """
#include <stdint.h>
typedef struct { int32_t tag; uint32_t size; union { int64_t i; double f; void *p; } as; } any;
static any seen[64];
static int32_t seen_count;
static int note(const any *args, int32_t count)
{
    for (int32_t i = 0; i < count && seen_count < 64; ++i) seen[seen_count++] = args[i];
    return 0;
}
int __tvm_ffi_seen(void *self, const any *args, int32_t count, any *result)
{
    result->tag = 1;
    result->as.i = args[0].as.i < 0 ? seen_count : args[0].as.i % 2 ? seen[args[0].as.i / 2].as.i : seen[args[0].as.i / 2].tag;
    return 0;
}
int __tvm_ffi_forget(void *self, const any *args, int32_t count, any *result) { return seen_count = 0; }
"""

NOTING = "int __tvm_ffi_KERNEL(void *self, const any *args, int32_t count, any *result) { return note(args, count); }\n"

SCALED = """
@T.prim_func
def main(a: T.handle, b: T.handle, s: T.float32, k: T.int32):
    n = T.int32()
    A = T.match_buffer(a, (n,), "float32")
    B = T.match_buffer(b, (n,), "float32")
    if k > 0:
        for bx in T.thread_binding((n + 31) // 32, thread="blockIdx.x"):
            for tx in T.thread_binding(32, thread="threadIdx.x"):
                if bx * 32 + tx < n:
                    B[bx * 32 + tx] = A[bx * 32 + tx] * s
"""


# What a host function may hold: strides and an offset of a tensor, a temporary, scalars of all sizes, functions of floats.
RICH = """
@T.prim_func
def main(a: T.handle, b: T.handle, h: T.float16, c: T.int8, f: T.bool, u: T.uint64, g: T.bfloat16, w: T.float32):
    n = T.int32()
    o = T.int32()
    s = T.int32()
    A = T.match_buffer(a, (n, 4), "float32", strides=(s, 1), elem_offset=o, offset_factor=1)
    B = T.match_buffer(b, (n, 4), "float32")
    M = T.alloc_buffer((n, 4), "float32")
    for bx in T.thread_binding(n, thread="blockIdx.x"):
        for tx in T.thread_binding(4, thread="threadIdx.x"):
            M[bx, tx] = A[bx, tx] * T.Cast("float32", h) + T.Cast("float32", c)
    for bx in T.thread_binding(n, thread="blockIdx.x"):
        for tx in T.thread_binding(4, thread="threadIdx.x"):
            if f:
                B[bx, tx] = M[bx, tx] + T.Cast("float32", u) * T.Cast("float32", g)
    if T.exp(w) > T.float32(7):
        for bx in T.thread_binding(T.Cast("int32", T.ceil(w * T.float32(1.5))) + T.max(n, 1) % 3, thread="blockIdx.x"):
            for tx in T.thread_binding(T.shift_left(T.int32(1), n), thread="threadIdx.x"):
                B[0, 0] = T.float32(0)
"""


class Metal(ctypes.Structure):
    """A DLTensor on a Metal device, whose data is a handle; `__tvm_ffi_opaque_ptr__` is not enough: the callee wants a tensor."""

    _fields_ = [("data", ctypes.c_void_p), ("device", ctypes.c_int32 * 2), ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8),
                ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16), ("shape", ctypes.POINTER(ctypes.c_int64)),
                ("strides", ctypes.POINTER(ctypes.c_int64)), ("offset", ctypes.c_uint64)]


class Any(ctypes.Structure):
    _fields_ = [("tag", ctypes.c_int32), ("size", ctypes.c_uint32), ("value", ctypes.c_uint64)]


def tensor(handle, *shape, device=(8, 0), strides=None, offset=0):
    extents = (ctypes.c_int64 * len(shape))(*shape)
    steps = (ctypes.c_int64 * len(shape))(*strides) if strides else None
    made = Metal(handle, (ctypes.c_int32 * 2)(*device), len(shape), 2, 32, 1, extents, steps, offset)
    made.keep = extents, steps
    return made


def call(function, *args):
    """Calls an exported function by its C symbol; its status."""
    values = (Any * len(args))()
    for value, arg in zip(values, args):
        if isinstance(arg, Metal):
            value.tag, value.value = 7, ctypes.addressof(arg)
        elif isinstance(arg, float):
            value.tag, value.value = 3, bits(arg)
        else:
            value.tag, value.value = 1, arg & (1 << 64) - 1
    return function(None, values, len(args), ctypes.byref(Any()))


def bits(value):
    return struct.unpack("=q", struct.pack("=d", value))[0]


TAKE = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_int, ctypes.c_int, ctypes.c_uint64, ctypes.c_int, ctypes.c_int)
DROP = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_void_p)


class Shaped(Case):
    """Libraries in TVM's shape, with a double in place of TVM's Metal runtime: a library that notes what it is launched with."""

    LOADER = "ffi.Module.load_from_bytes.metal"

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path, self.source, self.double = folder.name + "/module.so", folder.name + "/double.c", folder.name + "/double.so"

    def open(self, script):
        """The library of a program, with a noting double of each kernel; its main function by its C symbol."""
        run = ingot.compile(script)
        run.export_library(self.path, shape="tvm")
        with open(self.source, "w") as file:
            file.write(DOUBLE + "".join(NOTING.replace("KERNEL", kernel.name) for kernel in run.kernels))
        subprocess.run(["cc", "-shared", "-fPIC", "-o", self.double, self.source], check=True)
        given, self.devices = [], []

        def loader(data):
            given.append(bytes(data))
            return tvm_ffi.load_module(self.double)

        tvm_ffi.register_global_func(self.LOADER, loader, override=True)
        self.addCleanup(tvm_ffi.registry.remove_global_func, self.LOADER)
        tvm_ffi.register_global_func("__tvm_set_device", lambda *where: self.devices.append(where), override=True)
        self.addCleanup(tvm_ffi.registry.remove_global_func, "__tvm_set_device")
        self.module = tvm_ffi.load_module(self.path)
        self.assertEqual(len(given), 1)
        self.module.imports[0].get_function("forget")()
        self.library = ctypes.CDLL(self.path)
        main = getattr(self.library, "__tvm_ffi_main")
        main.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int32, ctypes.c_void_p]
        return main, given[0], run

    def seen(self):
        """What the kernels were launched with since the last time: pairs of tag and value."""
        seen = self.module.imports[0].get_function("seen")
        found = [(seen(2 * i), seen(2 * i + 1)) for i in range(seen(-1))]
        self.module.imports[0].get_function("forget")()
        return found

    def test_needs_the_loader(self):
        ingot.compile(SCALED).export_library(self.path, shape="tvm")
        with self.assertRaisesRegex(RuntimeError, "metal"):
            tvm_ffi.load_module(self.path)

    def test_launches(self):
        main, data, run = self.open(SCALED)
        self.assertEqual(data, run.imports[0].save_to_bytes())
        a, b = tensor(0x1000, 100), tensor(0x2000, 100)
        self.assertEqual(call(main, a, b, 2.5, 1), 0)
        # Buffers as handles (tag 4), the scalars n and s, then threadgroups and threads.
        self.assertEqual(self.seen(), [(4, 0x1000), (4, 0x2000), (1, 100), (3, bits(2.5)), (1, 4), (1, 32)])
        self.assertEqual(self.devices, [(8, 0)])
        self.assertEqual(call(main, a, b, 2.5, 0), 0)  # no launch
        self.assertEqual((self.seen(), len(self.devices)), ([], 2))
        for arguments in ((a, tensor(0x2000, 99), 2.5, 1), (a, tensor(0x2000, 100, device=(1, 0)), 2.5, 1), (a, b, 2.5), (a, b, 2.5, 1 << 40),
                          (a, b, a, 1), (1, b, 2.5, 1), (a, tensor(0x2000, 100, device=(8, 1)), 2.5, 1), (a, tensor(0, 100), 2.5, 1),
                          (a, tensor(0x2000, 100, strides=[2]), 2.5, 1), (a, tensor(0x2000, 100, offset=4), 2.5, 1), (a, b, 1e39, 1),
                          (tensor(0x1000, 1 << 33), tensor(0x2000, 1 << 33), 2.5, 1)):
            self.assertEqual(call(main, *arguments), -1)
        self.assertEqual((self.seen(), len(self.devices)), ([], 2))

    def test_all_that_a_host_function_may_hold(self):
        main, data, run = self.open(RICH)
        # TVM's launcher knows int32, uint32, int64 and float32: the others are told as int64.
        self.assertNotEqual(data, run.imports[0].save_to_bytes())
        taken, dropped = [], []
        take = TAKE(lambda kind, device, size, *hint: taken.append((kind, device, size)) or 0x7000 + len(taken))
        drop = DROP(lambda kind, device, memory: dropped.append((kind, device, memory)) or 0)
        a, b = tensor(0x1000, 3, 4, strides=[10, 1], offset=24), tensor(0x2000, 3, 4)
        given = (a, b, 1.0 + 2.0**-10, -5, 1, 1 << 62, 3.0, 2.0)
        names = "__TVMBackendAllocWorkspace", "__TVMBackendFreeWorkspace"
        for name in names:
            ctypes.c_void_p.in_dll(self.library, name).value = None
        self.assertEqual(call(main, *given), -1)  # no runtime has filled in who has the memory
        for name, function in zip(names, (take, drop)):
            ctypes.c_void_p.in_dll(self.library, name).value = ctypes.cast(function, ctypes.c_void_p).value
        self.assertEqual(call(main, *given), 0)
        # The temporary is 3 * 4 floats. Half 1 + 2^-10 has the bits 3c01, bfloat16 3 has 4040. The kernels' own order of scalars.
        first = [(4, 0x1000), (4, 0x7001), (1, -5), (1, 0x3C01), (1, 6), (1, 10), (1, 3), (1, 4)]
        seen = self.seen()
        self.assertEqual(sorted(seen[:6]), sorted(first[:6]))
        self.assertEqual(seen[6:8], first[6:])
        self.assertIn((1, 1 << 62), seen[8:])
        self.assertIn((3, bits(3.0)), seen[8:])  # widened on the host
        # exp(2) > 7: a third kernel over ceil(3) + 3 % 3 groups of 1 << 3 threads.
        self.assertEqual(seen[-2:], [(1, 3), (1, 8)])
        self.assertEqual((taken, dropped), ([(8, 0, 48)], [(8, 0, 0x7001)]))
        self.assertEqual(call(main, *given[:-1], 1.9), 0)  # exp(1.9) is below 7
        self.assertEqual(self.seen()[-1], (1, 4))
        for wrong in (70000.0, float("inf")):
            self.assertEqual(call(main, a, b, wrong, *given[3:]), -1 if wrong == 70000.0 else 0)
        self.assertEqual(call(main, a, b, 1.0, 128, *given[4:]), -1)  # no int8
        self.assertEqual(call(main, tensor(0x1000, 3, 4, strides=[10, 1], offset=6), *given[1:]), -1)  # no whole element
        self.assertEqual(call(main, tensor(0x1000, 3, 4, strides=[10, 2]), *given[1:]), -1)
        self.assertEqual(call(main, tensor(0x1000, 4, 4), *given[1:]), -1)
        self.assertEqual([x[2] for x in dropped], [0x7001 + i for i in range(len(taken))])

    def test_halves_round_as_numpy_does(self):
        main, _, _ = self.open("""
@T.prim_func
def main(A: T.Buffer((1,), "float16"), h: T.float16):
    for tx in T.thread_binding(1, thread="threadIdx.x"):
        A[0] = h
""")
        half = tensor(0x1000, 1)
        half.bits = 16
        rng = np.random.default_rng(1)
        values = [0.0, -0.0, 5e-8, 2.98e-8, 2.981e-8, -6.1e-5, 65504.0, 65519.99, 1.0009765625, 1.00048828125, 1.00146484375, float("nan"), float("inf")]
        values += list((rng.standard_normal(400) * 2.0 ** rng.integers(-26, 15, 400)).astype("float64"))
        for value in values:
            self.assertEqual(call(main, half, float(value)), 0)
            expected = int(np.float64(value).astype("float16").view("uint16"))
            self.assertEqual(self.seen()[1], (1, expected), value)

    def test_errors_have_words(self):
        self.open(SCALED)
        with self.assertRaisesRegex(ValueError, "device_type: expected metal on argument #0 when calling"):
            self.module.main(np.zeros(4, "float32"), np.zeros(4, "float32"), 1.0, 1)
        with self.assertRaisesRegex(TypeError, "dtype on argument #0"):
            self.module.main(np.zeros(4, "int32"), np.zeros(4, "float32"), 1.0, 1)

    def test_what_has_no_such_form_is_refused(self):
        script = SCALED.replace("B[bx * 32 + tx] = A", "assert A[0] == T.float32(0), \"not 0\"\n                    B[bx * 32 + tx] = A")
        with self.assertRaisesRegex(ingot.IngotError, "a library in TVM's shape is not written with assertions in kernels"):
            ingot.compile(script).export_library(self.path, shape="tvm")


PLAIN = RICH.replace('    M = T.alloc_buffer((n, 4), "float32")\n', "").replace("M[bx, tx]", "B[bx, tx]")

ORDER = """
import os, sys, tempfile
import ingot, ingot.tvm_ffi
ingot.tvm_ffi.install()
import tvm_ffi
ours = tvm_ffi.get_global_func(ingot.tvm_ffi.LOADER)
with tempfile.TemporaryDirectory() as folder:
    os.mkdir(folder + "/tvm")
    with open(folder + "/tvm/__init__.py", "w") as file:
        file.write("import tvm_ffi\\n" + sys.argv[1])
    sys.path.insert(0, folder)
    import tvm
print(tvm_ffi.get_global_func(ingot.tvm_ffi.LOADER)(b"") if sys.argv[1] else "ours")
ingot.tvm_ffi.uninstall()
print(tvm_ffi.get_global_func(ingot.tvm_ffi.LOADER, allow_missing=True) is None)
"""


class OnDevice(Case):
    """Libraries on Ingot's own device, with its tensors."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = folder.name + "/module.so"
        self.device = ingot.metal()

    def open(self, script, shape):
        ingot.compile(script).export_library(self.path, shape=shape)
        ingot.tvm_ffi.install()
        self.addCleanup(ingot.tvm_ffi.uninstall)
        return tvm_ffi.load_module(self.path)

    def test_tensors_stay_where_they_are(self):
        for shape in ("ingot", "tvm"):
            with self.subTest(shape=shape):
                module = self.open(SCALED, shape)
                a = np.arange(100, dtype="float32")
                x, y = ingot.runtime.tensor(a), ingot.runtime.empty((100,))
                module.main(x, y, 2.5, 1)
                np.testing.assert_array_equal(y.numpy(), a * 2.5)
                module.main(y, y, 2.0, 1)  # what the one has written the next reads
                np.testing.assert_array_equal(y.numpy(), a * 5)
                with self.assertRaisesRegex(ValueError, "shape"):
                    module.main(x, ingot.runtime.empty((99,)), 2.5, 1)

    def test_all_that_a_host_function_may_hold(self):
        """Every scalar arrives in the kernel as it was given, and so do strides and an offset."""
        module = self.open(PLAIN, "tvm")
        a = np.arange(36, dtype="float32")
        # Three rows of four, ten apart, from element 6 on: no tensor of Ingot's has strides, so one is made by hand.
        source, out = ingot.runtime.tensor(a), ingot.runtime.empty((3, 4))
        view = tensor(source.buffer.handle, 3, 4, strides=[10, 1], offset=24)
        main = getattr(ctypes.CDLL(self.path), "__tvm_ffi_main")
        main.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int32, ctypes.c_void_p]
        target = tensor(out.buffer.handle, 3, 4)
        rows = np.lib.stride_tricks.as_strided(a[6:], (3, 4), (40, 4))
        self.assertEqual(call(main, view, target, 1.0 + 2.0**-10, -5, 1, 3, 2.5, 1.9), 0)
        expected = rows * np.float32(1.0 + 2.0**-10) - 5 + np.float32(3 * 2.5)
        np.testing.assert_array_equal(out.numpy(), expected)
        self.assertEqual(call(main, view, target, -0.5, 127, 0, 1 << 62, 2.5, 1.9), 0)
        np.testing.assert_array_equal(out.numpy(), rows * np.float32(-0.5) + 127)
        self.assertEqual(call(main, view, target, 0.0, 0, 1, 1 << 40, 0.5, 1.9), 0)
        np.testing.assert_array_equal(out.numpy(), np.full((3, 4), 2.0**39, "float32"))
        del module

    def test_a_module_in_memory(self):
        for run in (ingot.compile(SCALED), ingot.compile(add_one)):
            module = ingot.tvm_ffi.as_module(run)
            self.assertTrue(module == ingot.tvm_ffi.as_module(run) or module.same_as(ingot.tvm_ffi.as_module(run)))
            a, b = np.arange(64, dtype="float32"), np.zeros(64, "float32")
            scaled = run.function_names == ["main"]
            module.main(a, b, *((2.5, 1) if scaled else ()))
            np.testing.assert_array_equal(b, a * 2.5 if scaled else a + 1)
            with self.assertRaisesRegex(ValueError, "shape"):
                module.get_function(run.function_names[0])(a, b[:60], *((2.5, 1) if scaled else ()))

    def test_a_handle_that_is_no_buffer_is_refused(self):
        module = self.open(SCALED, "tvm")
        with self.assertRaisesRegex(ValueError, "live buffer"):
            tensors = [tvm_ffi.from_dlpack(ingot.runtime._OnMetal(ingot.runtime.empty((4,)))) for _ in range(2)]
            main = module.imports[0].get_function("main_kernel")
            main(ctypes.c_void_p(0x1000), tensors[1], 4, 1.0, 1, 32)

    def test_a_loader_that_comes_with_tvm_counts(self):
        theirs = 'tvm_ffi.register_global_func("ffi.Module.load_from_bytes.metal", lambda data: "theirs")'
        for text, expected in ((theirs, ["theirs", "False"]), ("", ["ours", "True"])):
            done = subprocess.run([sys.executable, "-B", "-c", ORDER, text], capture_output=True, text=True, check=False)
            self.assertEqual((done.stdout.splitlines(), done.returncode), (expected, 0), done.stderr)

    def test_names_at_load(self):
        """Nothing but `install` registers an upstream name."""
        text = """
import ingot, ingot.tvm_ffi, tvm_ffi
ingot.compile("@T.prim_func\\ndef main(A: T.Buffer((1,), 'float32')):\\n    for i in T.thread_binding(1, thread='threadIdx.x'):\\n        A[0] = T.float32(1)")
print(tvm_ffi.get_global_func(ingot.tvm_ffi.LOADER, allow_missing=True))
"""
        self.assertEqual(alone(text), ["None"])


class Suite(Case):
    # Several launches, a temporary, sizes that the tensors give, scalars of all sizes, functions of floats on the host.
    PROGRAMS = ("control/two_stages.py", "control/device_temporary.py", "broadcast/symbolic.py", "scalar/all_types.py",
                "control/host_functions.py")

    def test_in_the_shape_of_tvm(self):
        for name in self.PROGRAMS:
            with self.subTest(program=name):
                self.assertIsNone(run_library(SUITE / name, "-"))


def everything():
    """The whole suite so; what cannot be exported is refused by name."""
    counts = {}
    for path in sorted(SUITE.glob("*/*.py")):
        problem = run_library(path, "-")
        end = "right" if problem is None else "refused" if "in TVM's shape is not written" in problem else "wrong"
        counts[end] = counts.get(end, 0) + 1
        if problem:
            print(end, path.relative_to(SUITE), problem.strip().splitlines()[0][:200], flush=True)
    print(counts)


def overlapping():
    whole = np.zeros(96, "float32")
    return whole[:64], whole[32:]


if __name__ == "__main__":
    if "--all" in sys.argv:
        everything()
    else:
        unittest.main(argv=[sys.argv[0]])
