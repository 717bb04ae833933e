# A test file: the module stands in a plain function, whose names count.
import numpy as np
import pytest

import tvm
import tvm.testing
from tvm.script import ir as I
from tvm.script import tirx as T


@pytest.mark.parametrize("size", [1, 2, 3])
def test_nothing(size):
    with pytest.raises(ValueError):
        raise ValueError(f"{size}")


def test_constants(target="metal", n=4):
    dtype = "float16"
    value = tvm.tirx.const(float("-inf"), dtype=dtype)

    @I.ir_module
    class Module:
        @T.prim_func
        def main(A: T.Buffer((n,), dtype)):
            for i in T.thread_binding(n, thread="threadIdx.x"):
                A[i] = value

    built = tvm.compile(Module, target=target)
    out = np.zeros((n,), dtype)
    built(tvm.runtime.tensor(out))
    try:
        np.testing.assert_equal(out, [float("-inf")] * n)
    except AssertionError:
        raise


if __name__ == "__main__":
    tvm.testing.main()
