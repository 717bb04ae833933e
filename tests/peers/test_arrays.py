"""Arrays of PyTorch and JAX, as far as they are installed: lent to calls and taken from tensors without a copy, refused where they
must not be written."""

import importlib.util
import sys
import unittest

import numpy as np

import ingot

SCRIPT = """
@T.prim_func
def main(a: T.handle, b: T.handle):
    n = T.int32()
    A = T.match_buffer(a, (n,), "{0}")
    B = T.match_buffer(b, (n,), "{0}")
    for bx in T.thread_binding((n + 31) // 32, thread="blockIdx.x"):
        for tx in T.thread_binding(32, thread="threadIdx.x"):
            if bx * 32 + tx < n:
                B[bx * 32 + tx] = A[bx * 32 + tx] + T.{0}(1)
"""
TYPES = ["float32", "float16", "bfloat16", "int64", "int32", "uint8"]


def add_one(dtype):
    return ingot.compile(SCRIPT.format(dtype))


def missing(package):
    return unittest.skipIf(importlib.util.find_spec(package) is None, f"{package} is not installed")


@missing("torch")
class Torch(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        import torch

        cls.torch = torch

    def test_lent(self):
        for name in TYPES:
            with self.subTest(dtype=name):
                a = self.torch.arange(100).to(getattr(self.torch, name))
                b, strided = self.torch.zeros_like(a), self.torch.zeros(200, dtype=a.dtype)
                place = b.data_ptr()
                add_one(name)(a, b)
                self.assertTrue(self.torch.equal(b, a + 1))
                self.assertEqual(b.data_ptr(), place)
                add_one(name)(a, strided[::2])
                self.assertTrue(self.torch.equal(strided[::2], a + 1) and not strided[1::2].any())

    def test_taken(self):
        for name in TYPES:
            with self.subTest(dtype=name):
                a = self.torch.arange(100).to(getattr(self.torch, name))
                x, y = ingot.runtime.tensor(a), ingot.runtime.empty((100,), name)
                self.assertEqual((x.dtype, x.shape), (name, (100,)))
                add_one(name)(x, y)
                b = self.torch.from_dlpack(y)
                self.assertEqual((b.dtype, b.device.type), (a.dtype, "cpu"))
                self.assertTrue(self.torch.equal(b, a + 1))
                add_one(name)(y, y)  # the same memory
                self.assertTrue(self.torch.equal(b, a + 2))
                del y
                self.assertEqual(float(b[99]), float(a[99] + 2))  # which it holds

    def test_refused(self):
        run, a = add_one("float32"), self.torch.arange(100.0)
        with self.assertRaises(BufferError):
            run(a, self.torch.zeros(100, requires_grad=True))
        with self.assertRaisesRegex(ValueError, "share memory"):
            run(a, self.torch.zeros(1).expand(100))
        with self.assertRaises(TypeError):
            run(a, self.torch.zeros(100, dtype=self.torch.float64))

    def test_metal_text(self):
        lib = ingot.msl.library("""
kernel void scaled(device const float *x, device float *y, constant float &by, uint i [[thread_position_in_grid]]) { y[i] = x[i] * by; }
""")
        x, y = self.torch.arange(64.0), self.torch.zeros(64)
        lib.scaled(x, y, 3.0)
        self.assertTrue(self.torch.equal(y, x * 3))


@missing("jax")
class Jax(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        import jax.numpy

        cls.jnp = jax.numpy

    def test_lent(self):
        for name in TYPES:
            if name == "int64":  # which JAX makes int32 of unless it is told otherwise
                continue
            with self.subTest(dtype=name):
                a = self.jnp.arange(100).astype(name)
                b = np.zeros(100, a.dtype)
                add_one(name)(a, b)
                np.testing.assert_array_equal(b.astype("float64"), np.arange(1, 101))

    def test_written_ones_are_refused(self):
        with self.assertRaisesRegex(ValueError, "read-only"):
            add_one("float32")(np.zeros(100, "float32"), self.jnp.zeros(100, "float32"))

    def test_taken(self):
        x, y = ingot.runtime.tensor(self.jnp.arange(100, dtype="float32")), ingot.runtime.empty((100,))
        add_one("float32")(x, y)
        np.testing.assert_array_equal(self.jnp.from_dlpack(y), np.arange(1, 101))


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]])
