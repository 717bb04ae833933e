"""Metal text of one's own: ingot.msl, the checks, the pytest plugin and the notebook display."""

import contextlib
import io
import subprocess
import sys
import tempfile
import textwrap
import threading
import unittest
from pathlib import Path

import numpy as np

import ingot
from ingot import notebook
from ingot.script import tirx as T

SOURCE = """#include <metal_stdlib>
using namespace metal;

kernel void scaled(device const float *a [[buffer(0)]], device float *out [[buffer(1)]], constant float &by [[buffer(2)]],
                   constant uint *picks [[buffer(3)]], uint i [[thread_position_in_grid]])
{
    out[i] = a[i] * by + float(picks[i % 2]);
}

kernel void where_am_i(device uint3 *out [[buffer(0)]], uint3 at [[thread_position_in_grid]], uint3 size [[threads_per_grid]])
{
    out[(at.z * size.y + at.y) * size.x + at.x] = at;
}

constant int mode [[function_constant(0)]];
kernel void moded(device int *out, uint i [[thread_position_in_grid]]) { out[i] = mode * 10 + int(i); }

kernel void shared(device float *out, threadgroup float *held [[threadgroup(0)]], uint i [[thread_position_in_threadgroup]],
                   uint n [[threads_per_threadgroup]])
{
    held[i] = out[i];
    threadgroup_barrier(mem_flags::mem_threadgroup);
    out[i] = held[n - 1 - i];
}

kernel void racy(device float *out, uint i [[thread_position_in_grid]])
{
    out[0] = float(i);
}
"""


class Library(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.lib = ingot.msl.library(SOURCE, file_name="mine.metal")

    def test_names(self):
        self.assertEqual(self.lib.function_names, ("scaled", "where_am_i", "moded", "shared", "racy"))
        self.assertEqual([(a.name, a.type, a.is_written) for a in self.lib.scaled.arguments],
                         [("a", "float", False), ("out", "float", True), ("by", "float", False), ("picks", "uint", False)])
        with self.assertRaisesRegex(AttributeError, "no kernel 'none'"):
            self.lib.none
        with self.assertRaisesRegex(LookupError, "it has: scaled"):
            self.lib["none"]

    def test_arguments_of_every_kind(self):
        a, out = np.arange(10, dtype="float32"), np.zeros(10, "float32")
        self.lib.scaled(a, out, 2.5, [1, 100])
        np.testing.assert_array_equal(out, a * np.float32(2.5) + np.where(np.arange(10) % 2, 100, 1))
        self.lib.scaled(a, out, np.float32(1), np.array([0, 0], "uint32"), threads=5, group_size=2)
        np.testing.assert_array_equal(out[:5], a[:5])

    def test_grids(self):
        out = np.zeros((2, 3, 5, 4), "uint32")
        self.lib.where_am_i(out, threads=(5, 3, 2), group_size=(5, 1, 2))
        z, y, x = np.meshgrid(range(2), range(3), range(5), indexing="ij")
        np.testing.assert_array_equal(out[..., :3], np.stack([x, y, z], -1))
        out[:] = 7
        self.lib.where_am_i(out, groups=(5, 3, 2), group_size=1)
        np.testing.assert_array_equal(out[..., 0], x)
        self.lib.where_am_i(out, threads=0)
        out[:] = 7
        self.lib.where_am_i(out, threads=(5, 3, 2), group_size=(4, 2, 1))  # smaller threadgroups at the ends
        np.testing.assert_array_equal(out[..., :3], np.stack([x, y, z], -1))
        many, twice = np.arange(5000, dtype="float32"), np.zeros(5000, "float32")
        self.lib.scaled(many, twice, 2.0, [0, 0])  # one thread an element, in groups that do not divide them
        np.testing.assert_array_equal(twice, many * 2)

    def test_function_constants(self):
        out = np.zeros(3, "int32")
        self.lib.kernel("moded", {"mode": 4})(out)
        np.testing.assert_array_equal(out, [40, 41, 42])
        self.lib.kernel("moded", {0: -1})(out)
        np.testing.assert_array_equal(out, [-10, -9, -8])
        with self.assertRaises(ingot.IngotError):
            self.lib.kernel("moded", {"none": 4})

    def test_threadgroup_memory(self):
        out = np.arange(8, dtype="float32")
        self.lib.shared(out, 32, threads=8, group_size=8)
        np.testing.assert_array_equal(out, np.arange(8)[::-1])

    def test_tensors_of_the_device(self):
        x, out = ingot.runtime.tensor(np.arange(4, dtype="float32")), ingot.runtime.empty((4,))
        self.lib.scaled(x, out, 2.0, [0, 0])
        np.testing.assert_array_equal(out.numpy(), np.arange(4) * 2)

    def test_refused(self):
        a, out = np.zeros(4, "float32"), np.zeros(4, "float32")
        frozen = np.zeros(4, "float32")
        frozen.flags.writeable = False
        cases = [(TypeError, "takes 4 arguments", (a, out)), (TypeError, "takes float, the array holds float64", (a.astype("f8"), out, 1, [1, 1])),
                 (ValueError, "not contiguous", (np.zeros(8, "float32")[::2], out, 1, [1, 1])),
                 (ValueError, "read-only", (a, frozen, 1, [1, 1])), (OverflowError, "does not fit into uint", (a, out, 1, [1, -1])),
                 (TypeError, "takes uint, not list", (a, out, 1, [1, 0.5])), (TypeError, "device memory is an array", (1, out, 1, [1, 1])),
                 (TypeError, "one float has 4 bytes, 8", (a, out, [1, 2], [1, 1]))]
        for kind, text, arguments in cases:
            with self.subTest(text=text), self.assertRaisesRegex(kind, text):
                self.lib.scaled(*arguments)
        with self.assertRaisesRegex(ValueError, "one to three"):
            self.lib.scaled(a, out, 1, [1, 1], threads=(1, 1, 1, 1))
        with self.assertRaisesRegex(ingot.IngotError, "threads"):
            self.lib.scaled(a, out, 1, [1, 1], threads=4096, group_size=2048)
        with self.assertRaisesRegex(ingot.IngotError, "scaled"):
            self.lib.scaled(a, out, 1, [1, 1], threads=5)  # past the end
        self.lib.scaled(frozen, out, 1, [1, 1])  # it is only read

    def test_texts_that_are_wrong(self):
        with self.assertRaises(ingot.msl.MetalError) as caught:
            ingot.msl.library("kernel void f(device float *a) {\n    a[0] = none;\n}\n", file_name="wrong.metal")
        self.assertEqual((caught.exception.filename, caught.exception.lineno), ("wrong.metal", 2))
        self.assertIn("none", caught.exception.msg)
        self.assertEqual(caught.exception.text, "    a[0] = none;\n")

    def test_macros_and_headers(self):
        text = '#include "mine.h"\nkernel void f(device float *a) { a[0] = TWO + THREE; }\n'
        asked = []

        def include(name, origin, angled):
            asked.append((name, angled))
            return "#define THREE 3" if name == "mine.h" else None

        a = np.zeros(1, "float32")
        ingot.msl.library(text, defines={"TWO": 2}, include=include).f(a)
        self.assertEqual((a[0], asked), (5, [("mine.h", False)]))
        with self.assertRaisesRegex(ZeroDivisionError, "mine"):
            ingot.msl.library(text, include=lambda *_: (_ for _ in ()).throw(ZeroDivisionError("mine")))

    def test_threads(self):
        results = [np.zeros(64, "float32") for _ in range(4)]
        a = np.arange(64, dtype="float32")

        def work(i):
            for _ in range(20):
                self.lib.scaled(a, results[i], float(i), [0, 0])

        threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for i, out in enumerate(results):
            np.testing.assert_array_equal(out, a * i)


@T.prim_func
def racy_program(A: T.Buffer((64,), "float32")):
    for tx in T.thread_binding(64, thread="threadIdx.x"):
        A[0] = T.Cast("float32", tx)


TEXTURES = """
#include <metal_stdlib>
using namespace metal;

kernel void twice(texture2d<float, access::read> from [[texture(0)]], texture2d<float, access::write> to [[texture(1)]],
                  uint2 at [[thread_position_in_grid]])
{
    to.write(from.read(at) * 2.0f, at);
}

kernel void pick(texture2d<float> from [[texture(0)]], sampler how [[sampler(0)]], device const float2 *at, constant float &level_of,
                 device float4 *out, uint i [[thread_position_in_grid]])
{
    out[i] = from.sample(how, at[i], level(level_of));
}

kernel void many(array<texture2d<float>, 3> from [[texture(0)]], device float *out, uint i [[thread_position_in_grid]])
{
    out[i] = from[i].read(uint2(1, 0)).x;
}

kernel void layers(texture2d_array<uint, access::read> a [[texture(0)]], texture3d<float, access::read> b [[texture(1)]],
                   texture1d<int, access::read> c [[texture(2)]], device float *out, uint i [[thread_position_in_grid]])
{
    out[i] = float(a.read(uint2(i, 1), 1).x) + b.read(uint3(i, 0, 1)).x + float(c.read(i).x);
}

kernel void faces(texturecube<float, access::write> to [[texture(0)]], uint3 at [[thread_position_in_grid]])
{
    to.write(float(at.z * 100 + at.y * 10 + at.x), at.xy, at.z);
}
"""


class Textures(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.lib = ingot.msl.library(TEXTURES)
        cls.pixels = np.random.default_rng(1).uniform(0, 1, (5, 7, 4)).astype("float32")

    def test_read_and_written(self):
        """A thread for each pixel, where nothing else is said."""
        to = ingot.msl.Texture((5, 7), "rgba32float")
        self.lib.twice(ingot.msl.texture(self.pixels), to)
        np.testing.assert_array_equal(to.numpy(), self.pixels * 2)

    def test_normalised(self):
        levels = np.arange(256, dtype="uint8").reshape(16, 16)
        to = ingot.msl.Texture((16, 16), "r32float")
        self.lib.twice(ingot.msl.texture(levels), to)
        np.testing.assert_array_equal(to.numpy(), levels.astype("float32") / np.float32(255) * 2)

    def test_sampled(self):
        """Between two pixels with a linear filter; outside by the address mode."""
        at = np.array([[0.5 / 7, 0.5 / 5], [1 / 7, 0.5 / 5], [1 + 0.5 / 7, 0.5 / 5], [-2.0, 0.5 / 5]], "float32")
        p, out = self.pixels, np.zeros((4, 4), "float32")
        linear = {"min_filter": "linear", "mag_filter": "linear"}
        for address, third, fourth in (("repeat", p[0, 0], None), ("clamp_to_edge", p[0, 6], p[0, 0]), ("clamp_to_zero", 0 * p[0, 0], 0 * p[0, 0])):
            self.lib.pick(ingot.msl.texture(p), ingot.msl.Sampler(address=address, **linear), at, 0.0, out, threads=4)
            np.testing.assert_allclose(out[:3], [p[0, 0], (p[0, 0] + p[0, 1]) / 2, third], atol=1e-6)
            if fourth is not None:
                np.testing.assert_allclose(out[3], fourth, atol=1e-6)
        nearest = ingot.msl.Sampler(normalized=False)
        self.lib.pick(ingot.msl.texture(p), nearest, np.array([[3.9, 2.1]], "float32"), 0.0, out, threads=1)
        np.testing.assert_array_equal(out[0], p[2, 3])

    def test_levels(self):
        t = ingot.msl.Texture((4, 8), "r32float", levels=3)
        for level, shape in enumerate([(4, 8), (2, 4), (1, 2)]):
            t.write(np.full(shape, level + 1, "float32"), level)
            np.testing.assert_array_equal(t.numpy(level), np.full(shape, level + 1))
        out, at = np.zeros((1, 4), "float32"), np.array([[0.4, 0.4]], "float32")
        how = ingot.msl.Sampler(mip_filter="linear")
        for level in (0.0, 1.0, 1.5, 2.0):
            self.lib.pick(t, how, at, level, out, threads=1)
            self.assertEqual(out[0, 0], level + 1)

    def test_arrays_of_them_and_other_types(self):
        out = np.zeros(3, "float32")
        self.lib.many([ingot.msl.texture(np.full((2, 3), k, "float32")) for k in (1, 2, 3)], out, threads=3)
        np.testing.assert_array_equal(out, [1, 2, 3])
        a = np.arange(2 * 4 * 3, dtype="uint16").reshape(2, 4, 3)
        b = np.arange(2 * 2 * 3, dtype="float16").reshape(2, 2, 3)
        c = np.array([-5, -6, -7], "int32")
        self.lib.layers(ingot.msl.texture(a, type="2d_array"), ingot.msl.texture(b, type="3d"), ingot.msl.texture(c, type="1d"), out, threads=3)
        np.testing.assert_array_equal(out, a[1, 1] + b[1, 0].astype("float32") + c)

    def test_cube(self):
        """A thread for each pixel of all six faces."""
        to = ingot.msl.Texture((6, 2, 2), "r32float", "cube")
        self.lib.faces(to)
        face, row, column = np.indices((6, 2, 2))
        np.testing.assert_array_equal(to.numpy(), face * 100 + row * 10 + column)

    def test_refused(self):
        t, out = ingot.msl.texture(self.pixels), np.zeros(3, "float32")
        for kind, text, call in [(TypeError, "takes ingot.msl.Texture, one", lambda: self.lib.twice(self.pixels, t)),
                                 (TypeError, "takes ingot.msl.Texture, 3 in a list", lambda: self.lib.many([t, t], out)),
                                 (ValueError, "no pixel format 'rgb8'", lambda: ingot.msl.Texture((2, 2), "rgb8")),
                                 (ValueError, "no pixel format for 3 channels", lambda: ingot.msl.texture(self.pixels[:, :, :3])),
                                 (ValueError, "has 2 sides", lambda: ingot.msl.Texture((2,), "r32float")),
                                 (ValueError, "level 0 of this rgba32float", lambda: t.write(self.pixels[:4])),
                                 (ValueError, "level", lambda: t.numpy(3)), (ValueError, "no filter 'cubic'", lambda: ingot.msl.Sampler(min_filter="cubic")),
                                 (ValueError, "6 faces a cube, not 5", lambda: ingot.msl.Texture((5, 2, 2), "r32float", "cube")),
                                 (ValueError, "6 faces a cube, not 7", lambda: ingot.msl.Texture((7, 2, 2), "r32float", "cube_array")),
                                 (ValueError, "no texture type", lambda: ingot.msl.Texture((2, 2), "r32float", "4d"))]:
            with self.subTest(text=text), self.assertRaisesRegex(kind, text):
                call()


class Profiles(unittest.TestCase):
    def test_counts(self):
        """64 threads are two simdgroups. Rows of 4 bytes next to each other fill a line of 128 bytes; 128 bytes apart each takes its own."""
        lib = ingot.msl.library("""kernel void f(device const float *a, device float *b, uint i [[thread_position_in_grid]])
{
    b[i] =
        a[i * 32];
}
""", file_name="f.metal")
        profile = ingot.msl.Profile()
        whole = np.zeros(64 * 33 + 32, "float32")
        whole = whole[-whole.ctypes.data % 128 // 4 :]  # lines begin at multiples of 128 bytes
        a, b = whole[: 64 * 32], whole[64 * 32 : 64 * 33]
        lib.f(a, b, threads=64, group_size=64, profile=profile)
        read, write = sorted(profile.accesses, key=lambda row: row.is_write)
        self.assertEqual([(r.memory, r.accesses, r.device_bytes, r.lines, r.least_lines) for r in (read, write)],
                         [("a", 2, 256, 64, 2), ("b", 2, 256, 2, 2)])
        self.assertEqual((read.file, read.line, read.bytes, read.threads, read.instructions), ("f.metal", 4, 4, 64, 2))
        self.assertEqual(read.offsets[:3], (0, 128, 256))
        self.assertIn("f.metal:4", str(profile))
        lib.f(a, b, threads=64, group_size=64, profile=profile)
        self.assertEqual(sum(row.device_bytes for row in profile.lines), 2 * 2 * 256)


class Logs(unittest.TestCase):
    SOURCE = """#include <metal_stdlib>
#include <metal_logging>
using namespace metal;
constant os_log mine("com.example", "test");
kernel void tell(device float2 *x, uint i [[thread_position_in_grid]])
{
    if (i % 2 == 1)
        mine.log_error("%v2f at %u\\n", x[i], i);
}
"""

    def test_to_a_function(self):
        lib, messages = ingot.msl.library(self.SOURCE, file_name="tell.metal"), []
        lib.tell(np.arange(8, dtype="float32"), threads=4, group_size=2, log=messages.append)
        self.assertEqual([m.text for m in messages], ["2.000000,3.000000 at 1", "6.000000,7.000000 at 3"])
        m = messages[1]
        self.assertEqual((m.level, m.subsystem, m.category, m.kernel, m.file, m.line, m.column, m.thread, m.threadgroup),
                         ("error", "com.example", "test", "tell", "tell.metal", 8, 9, (1, 0, 0), (1, 0, 0)))
        self.assertEqual(str(m), "tell.metal:8:9: error: thread (1, 0, 0) of threadgroup (1, 0, 0): "
                                 "[com.example:test] 6.000000,7.000000 at 3")

    def test_to_standard_error(self):
        lib, out = ingot.msl.library(self.SOURCE, file_name="tell.metal"), io.StringIO()
        with contextlib.redirect_stderr(out):
            lib.tell(np.zeros(4, "float32"), threads=2)
        self.assertEqual(out.getvalue(), "tell.metal:8:9: error: thread (1, 0, 0) of threadgroup (0, 0, 0): "
                                         "[com.example:test] 0.000000,0.000000 at 1\n")

    def test_failure_of_the_function(self):
        def fail(message):
            raise KeyError(message.text)

        with self.assertRaises(KeyError):
            ingot.msl.library(self.SOURCE).tell(np.zeros(4, "float32"), threads=2, log=fail)


class Checks(unittest.TestCase):
    def test_of_one_launch(self):
        lib, out = ingot.msl.library(SOURCE, file_name="mine.metal"), np.zeros(64, "float32")
        with self.assertRaises(ingot.check.CheckError) as caught:
            lib.racy(out, check="race")
        found = caught.exception.findings[0]
        self.assertEqual((found.check, found.kernel, found.filename), ("race", "racy", "mine.metal"))
        line = SOURCE[: SOURCE.index("out[0] = float(i)")].count("\n") + 1
        self.assertEqual(found.line, line)
        self.assertIn("out[0] = float(i);", str(caught.exception))
        self.assertIn("^", str(caught.exception))
        lib.racy(out, check="bounds")  # not asked for
        with self.assertRaises(ValueError):
            lib.racy(out, check="none of that name")

    def test_options(self):
        lib = ingot.msl.library("""
kernel void wide(device float *out, uint i [[thread_position_in_grid]]) { out[i] = float(i); }
kernel void last(device uint *out, uint g [[threadgroup_position_in_grid]]) { out[0] = g; }
kernel void faults(device float *out, uint i [[thread_position_in_grid]])
{
    out[i + 100] = 0.0f;
    out[i + 200] = 0.0f;
}
""")
        options, out = ingot.check.Options, np.zeros(512, "float32")
        lib.wide(out, threads=512, group_size=512, check="limits")
        with self.assertRaises(ingot.check.CheckError) as caught:
            lib.wide(out, threads=512, group_size=512, check=options("limits", limits="apple/m1-gpu-restricted"))  # 256 threads
        self.assertEqual(caught.exception.findings[0].check, "limits")
        seen, who = set(), np.zeros(1, "uint32")
        for order in range(6):
            lib.last(who, groups=16, group_size=1, check=options("launch", order=order))
            seen.add(int(who[0]))
        self.assertIn(15, seen)  # the order of the grid
        self.assertGreater(len(seen), 1)
        small = np.zeros(4, "float32")
        for most, expected in ((1, 1), (0, 2)):
            with ingot.check.checking(options("bounds", max_findings=most)) as report:
                lib.faults(small)
            self.assertEqual(len({f.line for f in report.findings}), expected)
        with self.assertRaises(ValueError):
            lib.wide(out, check=options("all", limits="no target"))

    def test_of_all_within(self):
        lib, out = ingot.msl.library(SOURCE), np.zeros(64, "float32")
        program = ingot.compile(racy_program)
        with ingot.check.checking() as report:
            lib.racy(out)
            program(out)
            program(ingot.runtime.tensor(out))
        self.assertEqual({f.kernel for f in report.findings}, {"racy", "racy_program_kernel"})
        with self.assertRaises(ingot.check.CheckError):
            report.raise_any()
        with ingot.check.checking("all,-race") as report:
            program(out)
        self.assertEqual(report.findings, [])
        lib.racy(out)  # no longer


class Plugin(unittest.TestCase):
    def run_pytest(self, *arguments):
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "test_it.py").write_text(textwrap.dedent('''
                import numpy as np
                import pytest
                import ingot

                lib = ingot.msl.library("""
                kernel void racy(device float *out, uint i [[thread_position_in_grid]]) { out[0] = float(i); }
                kernel void good(device float *out, uint i [[thread_position_in_grid]]) { out[i] = float(i); }
                """)

                def launch(name):
                    lib[name](np.zeros(64, "float32"))

                def test_unmarked():
                    launch("racy")

                @pytest.mark.metal_check
                def test_marked():
                    launch("racy")

                @pytest.mark.metal_check("bounds")
                def test_other_check():
                    launch("racy")

                @pytest.mark.metal_check
                def test_good():
                    launch("good")

                @pytest.mark.metal_check
                def test_fails_itself():
                    launch("racy")
                    assert 1 == 2
                '''))
            done = subprocess.run([sys.executable, "-B", "-m", "pytest", "-p", "ingot.pytest_plugin", "-p", "no:cacheprovider", "-q",
                                   "-rA", *arguments, folder], capture_output=True, text=True, check=False)
            return done.stdout

    def test_marker(self):
        out = self.run_pytest()
        self.assertIn("2 failed, 3 passed", out)
        self.assertIn("out[0] = float(i)", out)
        self.assertIn("^", out)
        self.assertIn("assert 1 == 2", out)
        self.assertNotIn("pytest_plugin.py", out)

    def test_option(self):
        self.assertIn("3 failed, 2 passed", self.run_pytest("--metal-check"))
        self.assertIn("3 failed, 2 passed", self.run_pytest("--metal-checks=race"))
        self.assertIn("2 failed, 3 passed", self.run_pytest("--metal-checks=bounds"))
        self.assertIn("3 failed, 2 passed", self.run_pytest("--metal-checks=race", "--metal-order=3", "--metal-limits=apple/m1-gpu"))


class Notebook(unittest.TestCase):
    def test_highlight(self):
        self.assertEqual(notebook.highlight('if a < 1: # "x"', "python"),
                         '<span style="color:#7d2cb5">if</span> a &lt; <span style="color:#0a6b3d">1</span>: '
                         '<span style="color:#6b7280"># &quot;x&quot;</span>')
        self.assertIn('<span style="color:#1d5fa8">[[buffer(0)]]</span>', notebook.highlight("device float4 *a [[buffer(0)]]", "metal"))

    def test_display_and_magic(self):
        html = racy_program._repr_html_()
        self.assertIn("racy_program_kernel", html)
        self.assertIn("TVMScript", html)

        class Shell:
            user_ns = {}

            def register_magic_function(self, function, kind, name):
                self.magic = (function, kind, name)

        shell = Shell()
        notebook.load_ipython_extension(shell)
        function, kind, name = shell.magic
        self.assertEqual((kind, name), ("cell", "ingot"))
        cell = ('@T.prim_func\ndef f(A: T.Buffer((4,), "float32")):\n    for tx in T.thread_binding(4, thread="threadIdx.x"):\n'
                '        A[tx] = T.float32(3)\n')
        shown = function("made", cell)
        self.assertEqual(shown.script, cell)
        self.assertIn("kernel void f_kernel", shown.metal)
        a = np.zeros(4, "float32")
        shell.user_ns["made"](a)
        np.testing.assert_array_equal(a, [3, 3, 3, 3])


if __name__ == "__main__":
    unittest.main()
