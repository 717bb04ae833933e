"""Ingot and the real tvm-ffi in one process: one registry, whichever came first; every form of result; exceptions; threads;
re-entry; no leaks."""

import json
import os
import resource
import subprocess
import sys
import tempfile
import threading
import unittest

import numpy as np
import tvm_ffi

BEFORE = set(tvm_ffi.registry.list_global_func_names())

import ingot  # noqa: E402
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


def overlapping():
    whole = np.zeros(96, "float32")
    return whole[:64], whole[32:]


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]])
