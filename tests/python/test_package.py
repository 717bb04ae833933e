"""The Python package: scripts, launches, callbacks, files. Expected values come from NumPy."""

import gc
import json
import subprocess
import sys
import tempfile
import threading
import unittest
import warnings
import weakref
from pathlib import Path

import numpy as np

import ingot
from ingot.script import ir as I
from ingot.script import tirx as T

CALLBACK = "tvm_callback_metal_compile"
WIDTH = 32


def scaled(n, scale, dtype="float32"):
    """B = A * scale, with values captured from a closure, the module and an enclosing frame."""

    @I.ir_module(s_tir=True)
    class Module:
        @T.prim_func(s_tir=True)
        def main(A: T.Buffer((n,), dtype), B: T.Buffer((n,), dtype)):
            for bx in T.thread_binding(n // WIDTH, thread="blockIdx.x"):
                for tx in T.thread_binding(WIDTH, thread="threadIdx.x"):
                    B[bx * WIDTH + tx] = A[bx * WIDTH + tx] * T.Cast(dtype, scale)

    return Module


def filled(value):
    @T.prim_func
    def fill(B: T.Buffer((4,), "float32")):
        for tx in T.thread_binding(4, thread="threadIdx.x"):
            B[tx] = T.float32(value)

    out = np.zeros(4, "float32")
    ingot.compile(fill)(out)
    return out


@T.prim_func
def two_kernels(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32"), C: T.Buffer((64,), "float32")):
    for tx in T.thread_binding(64, thread="threadIdx.x"):
        B[tx] = A[tx] + T.float32(1)
    for tx in T.thread_binding(64, thread="threadIdx.x"):
        C[tx] = A[tx] + T.float32(2)


@T.macro
def store_twice(B, i, v):
    B[i] = v
    B[i + 4] = v


def plus_three(x):
    return x + 3


class Exporter:
    """Hands out an array by DLPack alone, by the old protocol or by the newest that NumPy has."""

    def __init__(self, array, old):
        self.array, self.old = array, old

    def __dlpack__(self, **named):
        if named and self.old:
            raise TypeError("the old protocol")
        return self.array.__dlpack__(**named)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


class _Only:
    """A tensor as another library would take it."""

    def __init__(self, tensor, **named):
        self.tensor, self.named = tensor, named

    def __dlpack__(self, **named):
        return self.tensor.__dlpack__(**named, **self.named)

    def __dlpack_device__(self):
        return self.tensor.__dlpack_device__()


class Capture(unittest.TestCase):
    def test_closure_global_and_frame(self):
        a = np.arange(96, dtype="float32")
        b = np.zeros_like(a)
        ingot.compile(scaled(96, 2.5))(a, b)
        np.testing.assert_array_equal(b, a * np.float32(2.5))

    def test_numpy_scalars_and_dtypes(self):
        a = np.arange(32, dtype="int32")
        b = np.zeros_like(a)
        ingot.compile(scaled(np.int64(32), np.int32(-7), np.dtype("int32")))(a, b)
        np.testing.assert_array_equal(b, a * -7)

    def test_infinities_and_nan(self):
        np.testing.assert_array_equal(filled(float("inf")), np.full(4, np.inf))
        np.testing.assert_array_equal(filled(-np.inf), np.full(4, -np.inf))
        self.assertTrue(np.isnan(filled(np.nan)).all())

    def test_macro_function_and_tuple(self):
        shape = (8,)

        @T.prim_func
        def f(B: T.Buffer(shape, "int32")):
            for tx in T.thread_binding(4, thread="threadIdx.x"):
                store_twice(B, tx, plus_three(tx) * shape[0])

        out = np.zeros(8, "int32")
        ingot.compile(f)(out)
        np.testing.assert_array_equal(out, [24, 32, 40, 48, 24, 32, 40, 48])

    def test_local_name_is_not_captured(self):
        tx = "a name of the body, too"

        @T.prim_func
        def f(B: T.Buffer((2,), "int32")):
            for tx in T.thread_binding(2, thread="threadIdx.x"):
                B[tx] = tx + 5

        self.assertEqual(tx[0], "a")
        out = np.zeros(2, "int32")
        ingot.compile(f)(out)
        np.testing.assert_array_equal(out, [5, 6])

    def test_what_a_signature_and_local_annotations_name(self):
        """Names of parameters that mean something outside too, a signature over several lines, a body in its last one."""
        A, width, kind, number = np.arange(5), 3, "float32", T.float32  # noqa: F841

        @T.prim_func(
            # a bracket in a comment (
            s_tir=True
        )
        def f(
            A: T.Buffer((width,), kind),
        ):
            for tx in T.thread_binding(3, thread="threadIdx.x"):
                x: number = T.float32(2)
                A[tx] = x

        out = np.zeros(3, "float32")
        ingot.compile(f)(out)
        np.testing.assert_array_equal(out, [2, 2, 2])

        @T.prim_func
        def g(A: T.Buffer((width,), "float32")): T.evaluate(width)  # noqa: E704

        self.assertIn("(3,)", g.script())

    def test_annotations_that_are_kept_as_text(self):
        """Names of a function further out, which makes no closure of them."""
        space = {"T": T}
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder, "kept.py")
            file.write_text("""from __future__ import annotations

def outer(m):
    def inner(n):
        @T.prim_func
        def f(A: T.Buffer((m, n), "float32")):
            T.evaluate(n)
        return f
    return inner(3)

made = outer(2)
""")
            exec(compile(file.read_text(), str(file), "exec"), space)
            self.assertIn('T.Buffer((2, 3), "float32")', space["made"].script())

    def test_module_of_functions(self):
        module = ingot.IRModule({"first": two_kernels, "second": scaled(32, 3.0)["main"]})
        run = ingot.compile(module)
        self.assertEqual(run.function_names, ["two_kernels", "main"])
        a, b = np.ones(32, "float32"), np.zeros(32, "float32")
        run["main"](a, b)
        np.testing.assert_array_equal(b, np.full(32, 3.0))

    def test_prints_as_script_that_reads_back(self):
        text = scaled(64, 2.0).script()
        self.assertIn('A: T.Buffer((64,), "float32")', text)
        self.assertEqual(ingot.script.from_source(text).script(), text)

    def test_text_without_source_is_refused(self):
        with self.assertRaisesRegex(OSError, "cannot be found"):
            exec("@T.prim_func\ndef f(A: T.Buffer((4,), 'float32')):\n    pass\n", {"T": T})


class Errors(unittest.TestCase):
    def test_points_into_this_file(self):
        with self.assertRaises(SyntaxError) as caught:

            @T.prim_func
            def f(A: T.Buffer((4,), "float32")):
                for tx in T.thread_binding(4, thread="threadIdx.x"):
                    A[tx, 0] = T.float32(1)

        error = caught.exception
        lines = Path(__file__).read_text().splitlines()
        place = next(i for i, line in enumerate(lines) if "A[tx, 0] = T.float32(1)" in line)
        self.assertEqual((error.filename, error.lineno, error.offset), (__file__, place + 1, 21))
        self.assertEqual(error.text.rstrip("\n"), lines[place])
        self.assertIn("1 dimension", str(error))

    def test_all_errors_are_listed(self):
        with self.assertRaises(ingot.ScriptError) as caught:

            @I.ir_module
            class Module:
                @T.prim_func
                def f(A: T.Buffer((4,), "float32")):
                    for tx in T.thread_binding(4, thread="threadIdx.x"):
                        A[tx] = nowhere  # noqa: F821
                        A[tx] = T.no_such_thing(1)

        self.assertEqual(len([d for d in caught.exception.diagnostics if d.severity == "error"]), 2)

    def test_names_a_value_that_a_program_cannot_use(self):
        thing = object()
        with self.assertRaisesRegex(ingot.ScriptError, "of type object"):

            @T.prim_func
            def f(A: T.Buffer((4,), "float32")):
                for tx in T.thread_binding(4, thread="threadIdx.x"):
                    A[tx] = thing

    def test_what_cannot_be_lowered(self):
        @T.prim_func
        def serial(A: T.Buffer((4,), "float32")):
            for i in range(4):
                A[i] = T.float32(1)

        with self.assertRaisesRegex(ingot.CompileError, "outside of any thread") as caught:
            ingot.compile(serial)
        self.assertIsInstance(caught.exception, RuntimeError)
        self.assertIsInstance(caught.exception, SyntaxError)
        self.assertEqual(caught.exception.filename, __file__)

    def test_undecorated_function_in_a_module(self):
        with self.assertRaisesRegex(TypeError, "not decorated"):

            @I.ir_module
            class Module:
                def f(A):
                    pass

    def test_unknown_target(self):
        with self.assertRaises(ingot.IngotError):
            ingot.compile(two_kernels, target="teapot")
        with self.assertRaises(ingot.IngotError):
            ingot.Target({"kind": "metal", "no_such_attribute": 1})


class Launches(unittest.TestCase):
    def setUp(self):
        self.run_ = ingot.compile(scaled(64, 2.0))
        self.a = np.arange(64, dtype="float32")

    def test_device_tensors(self):
        a, b = ingot.runtime.tensor(self.a, ingot.metal(0)), ingot.runtime.empty((64,), "float32", ingot.metal(0))
        self.assertEqual((b.shape, b.dtype, b.device), ((64,), "float32", ingot.metal(0)))
        self.run_(a, b)
        ingot.metal(0).sync()
        np.testing.assert_array_equal(b.numpy(), self.a * 2)
        ingot.testing.assert_allclose(b.numpy(), self.a * 2)
        with self.assertRaises(AssertionError):
            ingot.testing.assert_allclose(b.numpy(), self.a)

    def test_strided_views(self):
        store = np.zeros((64, 3), "float32")
        self.run_(np.stack([self.a, self.a], axis=1)[:, 1], store[:, 1])
        np.testing.assert_array_equal(store[:, 1], self.a * 2)
        np.testing.assert_array_equal(store[:, [0, 2]], np.zeros((64, 2)))

    def test_dlpack_is_not_copied(self):
        for old in (True, False):
            b = np.zeros((64, 2), "float32")
            self.run_(Exporter(self.a[::-1], old), Exporter(b[:, 1], old))
            np.testing.assert_array_equal(b[:, 1], self.a[::-1] * 2)
            np.testing.assert_array_equal(b[:, 0], np.zeros(64))

    def test_dlpack_owner_lives_as_long_as_the_view(self):
        a = np.arange(64, dtype="float32")
        before = sys.getrefcount(a)
        view = ingot.runtime.as_host_array(Exporter(a, True))
        self.assertGreater(sys.getrefcount(a), before)
        np.testing.assert_array_equal(view[3:5], [3, 4])
        del view
        self.assertEqual(sys.getrefcount(a), before)

    def test_dlpack_elsewhere_is_refused(self):
        class Elsewhere(Exporter):
            def __dlpack_device__(self):
                return (2, 0)

        with self.assertRaisesRegex(ValueError, "device type 2"):
            self.run_(Elsewhere(self.a, True), np.zeros(64, "float32"))

    def test_tensors_by_dlpack_are_not_copied(self):
        x, y = ingot.runtime.tensor(self.a), ingot.runtime.empty((64,))
        self.run_(x, y)
        view = np.from_dlpack(y)
        np.testing.assert_array_equal(view, self.a * 2)
        self.run_(y, y)
        np.testing.assert_array_equal(view, self.a * 4)
        self.assertEqual(y.__dlpack_device__(), (1, 0))
        kept = weakref.ref(y)
        del y
        gc.collect()
        self.assertIsNone(kept())
        np.testing.assert_array_equal(view, self.a * 4)  # the memory is held by the view
        for _ in range(3):
            x.__dlpack__()  # a capsule that nobody takes
        copied = ingot.runtime.as_host_array(_Only(x, copy=True))
        self.run_(x, x)
        np.testing.assert_array_equal(copied, self.a)
        with self.assertRaises(BufferError):
            x.__dlpack__(dl_device=(2, 0))
        with self.assertRaises(BufferError):
            x.__dlpack__(stream=1)

    def test_views_of_tensors(self):
        for on in (ingot.metal(), ingot.cpu()):
            with self.subTest(device=str(on)):
                x = ingot.runtime.tensor(np.arange(24, dtype="int32"), on)
                half = x.view((3, 4), byte_offset=48)
                np.testing.assert_array_equal(half.numpy(), np.arange(12, 24).reshape(3, 4))
                part = half.view((2,), byte_offset=8)
                part.copyfrom(np.array([-1, -2], "int32"))
                np.testing.assert_array_equal(x.numpy()[12:18], [12, 13, -1, -2, 16, 17])
                np.testing.assert_array_equal(np.from_dlpack(half)[0], [12, 13, -1, -2])
                np.testing.assert_array_equal(x.view((4,), "uint8", 4).numpy(), [1, 0, 0, 0])
                with self.assertRaisesRegex(ValueError, "would occupy bytes 32 <= i_byte < 56, .* only contains 48 bytes"):
                    half.view((6,), byte_offset=32)
                with self.assertRaisesRegex(ValueError, "no whole number of elements"):
                    half.view((1,), byte_offset=2)

        @T.prim_func
        def shifted(a: T.handle, b: T.handle):
            start = T.int32()
            A = T.match_buffer(a, (4,), "float32", elem_offset=start, offset_factor=1)
            B = T.match_buffer(b, (4,), "float32")
            for tx in T.thread_binding(4, thread="threadIdx.x"):
                B[tx] = A[tx]

        out = ingot.runtime.empty((4,))
        run, x = ingot.compile(shifted), ingot.runtime.tensor(np.arange(8, dtype="float32"))
        run(x.view((4,), byte_offset=12), out)
        np.testing.assert_array_equal(out.numpy(), [3, 4, 5, 6])
        with self.assertRaisesRegex(ValueError, "byte_offset"):
            run(out, x.view((4,), byte_offset=12))

    def test_types_that_numpy_lacks(self):
        """Bits go through as they are, under the type's own name."""
        x = ingot.runtime.empty((4,), "bfloat16")
        bits = np.array([0x3F80, 0x4000, 0xC040, 0], "uint16")
        x.copyfrom(bits.view(x._host_dtype) if x._host_dtype.kind == "V" else bits)
        again = ingot.runtime.tensor(_Only(x))
        self.assertEqual(again.dtype, "bfloat16")
        np.testing.assert_array_equal(again.numpy().view("uint16"), bits)

    def test_elements_that_share_memory(self):
        one = np.lib.stride_tricks.as_strided(np.zeros(70, "float32"), (64,), (0,))
        with self.assertRaisesRegex(ValueError, "share memory"):
            self.run_(self.a, one)
        out = np.zeros(64, "float32")
        self.run_(one, out)  # to read is fine

    def test_arrays_of_packages_that_have_none_to_write(self):
        """JAX's arrays are immutable, and their capsules do not say so."""
        frozen = type("Array", (), {"__module__": "jaxlib.xla", "__dlpack__": lambda self, **options: self.held.__dlpack__(),
                                    "__dlpack_device__": lambda self: (1, 0)})()
        frozen.held, out = np.arange(64, dtype="float32"), np.zeros(64, "float32")
        run = ingot.compile(scaled(64, 2.0))
        run(frozen, out)
        np.testing.assert_array_equal(out, np.arange(64) * 2)
        with self.assertRaisesRegex(ValueError, "read-only"):
            run(out, frozen)

    def test_read_only(self):
        self.a.flags.writeable = False
        b = np.zeros(64, "float32")
        self.run_(self.a, b)
        np.testing.assert_array_equal(b, self.a * 2)
        with self.assertRaisesRegex(ValueError, "read-only"):
            self.run_(b, self.a)

    def test_same_array_twice_and_overlap(self):
        expected = self.a * 2
        self.run_(self.a, self.a)
        np.testing.assert_array_equal(self.a, expected)
        long = np.zeros(96, "float32")
        with self.assertRaisesRegex(ValueError, "overlap"):
            self.run_(long[:64], long[32:])

    def test_wrong_arguments(self):
        b = np.zeros(64, "float32")
        for args, kind in [((self.a,), TypeError), ((self.a[:3], b), ValueError), ((self.a.astype("float64"), b), TypeError),
                           ((self.a, 1), TypeError), ((self.a, "text"), TypeError)]:
            with self.subTest(kind=kind), self.assertRaises(kind) as caught:
                self.run_(*args)
            self.assertIsInstance(caught.exception, ingot.IngotError)

    def test_scalars(self):
        @T.prim_func
        def f(B: T.Buffer((1,), "float32"), n: T.int32, x: T.float32):
            for tx in T.thread_binding(1, thread="threadIdx.x"):
                B[tx] = T.Cast("float32", n) + x

        out = np.zeros(1, "float32")
        ingot.compile(f)(out, np.int32(-3), 0.5)
        self.assertEqual(out[0], -2.5)

    def test_threads_share_a_module(self):
        results = [np.zeros(64, "float32") for _ in range(4)]
        threads = [threading.Thread(target=self.run_, args=(self.a + i, out)) for i, out in enumerate(results)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for i, out in enumerate(results):
            np.testing.assert_array_equal(out, (self.a + i) * 2)


class Callbacks(unittest.TestCase):
    def tearDown(self):
        if CALLBACK in ingot.list_global_func_names():
            ingot.remove_global_func(CALLBACK)

    def test_forms(self):
        seen = []
        for form in (lambda s: (s, "metal"), lambda s: [s, "metal"], lambda s: (s.encode(), "metal"),
                     lambda s: (bytearray(s.encode()), "metal"), lambda s: [memoryview(s.encode()), "metal"]):

            @ingot.register_global_func(CALLBACK, override=True)
            def callback(source, target, form=form):
                seen.append((source, target.kind.name, target.attrs["max_num_threads"]))
                return form(source)

            run = ingot.compile(two_kernels)
            self.assertEqual(run.format, "metal")
            self.assertEqual([k.payload.decode() for k in run.kernels], [k.source for k in run.kernels])
        self.assertEqual(len(seen), 10)
        self.assertEqual({entry[1:] for entry in seen}, {("metal", 256)})
        for form in (str, str.encode, lambda s: bytearray(s.encode())):
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                run = ingot.compile(two_kernels, callback=lambda source, target, form=form: form(source))
            self.assertEqual(run.format, "metallib")
            self.assertTrue(any(issubclass(w.category, ingot.IngotWarning) for w in caught))

    def test_refused(self):
        for result in (None, 3, 2.5, True, object(), {"a": 1}, (1, "metal"), ("x", "air"), ("x",), ("x", "metal", 1), ""):
            with self.subTest(result=result), self.assertRaisesRegex(ingot.IngotError, CALLBACK):
                ingot.compile(two_kernels, callback=lambda source, target, result=result: result)
        forms = iter(["first", ("second", "metal")])
        with self.assertRaisesRegex(Exception, "inconsistent formats"):
            ingot.compile(two_kernels, callback=lambda source, target: next(forms))

    def test_exception_passes_through(self):
        class Odd(Exception):
            pass

        raised = Odd("of the caller's own, \N{SNOWMAN}")

        def callback(source, target):
            raise raised

        for exception in (raised, KeyboardInterrupt("stop")):
            raised = exception
            with self.assertRaises(type(exception)) as caught:
                ingot.compile(two_kernels, callback=callback)
            self.assertIs(caught.exception, exception)
        # An error of another kind, later, is not mistaken for it.
        with self.assertRaises(ingot.IngotError):
            ingot.compile(two_kernels, callback=lambda source, target: None)

    def test_compiles_within_a_callback(self):
        inner = []

        def callback(source, target):
            inner.append(ingot.compile(scaled(32, 2.0), callback=False).inspect_source())
            return source, "metal"

        ingot.compile(two_kernels, callback=callback)
        self.assertEqual(len(inner), 2)

    def test_registry(self):
        ingot.register_global_func("ingot.test.pair", lambda *args: list(args))
        self.addCleanup(lambda: ingot.get_global_func("ingot.test.pair", True) and ingot.remove_global_func("ingot.test.pair"))
        f = ingot.get_global_func("ingot.test.pair")
        values = (None, True, -(1 << 63), 2.5, "\u00e9", b"\0\xff", ("in", (1,)), "", b"", ())
        self.assertEqual(f(*values), values)
        with self.assertRaises(OverflowError):
            f(1 << 63)
        with self.assertRaises(ingot.IngotError):
            ingot.register_global_func("ingot.test.pair", print)
        ingot.register_global_func("ingot.test.pair", lambda x: x + 1, override=True)
        self.assertEqual(ingot.get_global_func("ingot.test.pair")(1), 2)
        self.assertEqual(f(1), (1,))  # a function that was looked up stays what it was
        ingot.remove_global_func("ingot.test.pair")
        self.assertIsNone(ingot.get_global_func("ingot.test.pair", allow_missing=True))
        with self.assertRaises(LookupError):
            ingot.remove_global_func("ingot.test.pair")
        with self.assertRaises(LookupError):
            ingot.get_global_func("ingot.test.pair")


class Files(unittest.TestCase):
    def test_saved_and_loaded(self):
        run = ingot.compile(scaled(64, 4.0))
        a = np.arange(64, dtype="float32")
        with tempfile.TemporaryDirectory() as folder:
            for name in ("module.ingot", "module.so"):
                path = Path(folder) / name
                run.export_library(path)
                again, b = ingot.load_module(path), np.zeros(64, "float32")
                again(a, b)
                np.testing.assert_array_equal(b, a * 4)
                self.assertEqual(again.save_to_bytes(), run.save_to_bytes())
                self.assertEqual(again.imports[0].inspect_source(), run.imports[0].inspect_source())
            with self.assertRaises(ingot.IngotError):
                ingot.load_module(Path(folder) / "missing.ingot")
        with self.assertRaises(ValueError):
            ingot.load_module_bytes(run.save_to_bytes()[:-1])

    def test_metallib(self):
        run = ingot.compile(scaled(64, 4.0))
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "all.metallib")
            try:
                run.export_library(path)
            except ingot.error.Unsupported as exception:
                self.assertIn("AIR component", str(exception))
                self.assertEqual(list(Path(folder).iterdir()), [])
                return
            data = path.read_bytes()
            self.assertEqual((data[:4], data), (b"MTLB", run.export_metallib()))
            self.assertEqual(json.loads(Path(folder, "all.metallib.json").read_text())["kernels"][0]["name"], "main_kernel")
        # Its kernel gives what the text's does.
        compiled = ingot.compile(scaled(64, 4.0), callback=lambda source, target: data)
        b = np.zeros(64, "float32")
        compiled(np.arange(64, dtype="float32"), b)
        np.testing.assert_array_equal(b, np.arange(64) * 4)

    def test_fallback_saves_and_does_not_run(self):
        run = ingot.compile(scaled(64, 4.0), fallback=True)
        self.assertTrue(run.is_fallback)
        self.assertIn("kernel void main_kernel", run.inspect_source())
        with self.assertRaises(ingot.IngotError):
            run(np.zeros(64, "float32"), np.zeros(64, "float32"))

    def test_looking_inside(self):
        run = ingot.compile(two_kernels)
        self.assertEqual([k.name for k in run.kernels], ["two_kernels_kernel", "two_kernels_kernel_1"])
        self.assertEqual([(p.name, p.kind, p.dtype, p.shape, p.is_written) for p in run.main.params],
                         [("A", "tensor", "float32", ("64",), False), ("B", "tensor", "float32", ("64",), True),
                          ("C", "tensor", "float32", ("64",), True)])
        names = []
        ingot.compile(two_kernels, passes=lambda index, name, text: names.append((index, name)))
        self.assertEqual(names[0], (0, "parsed"))
        self.assertEqual([index for index, _ in names], list(range(len(names))))
        with self.assertRaises(LookupError):
            run["no_such_function"]


class Process(unittest.TestCase):
    def test_quiet_exit_with_a_callback_left(self):
        code = ("import ingot\ningot.register_global_func('tvm_callback_metal_compile', lambda s, t: (s, 'metal'))\n"
                "d = ingot.runtime.empty(4)\n")
        run = subprocess.run([sys.executable, "-B", "-c", code], capture_output=True, text=True, check=False)
        self.assertEqual((run.returncode, run.stdout, run.stderr), (0, "", ""))


if __name__ == "__main__":
    unittest.main()
