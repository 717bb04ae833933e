# Names that MSL, C++ and the emitted text have for themselves.
from tvm.script import tirx as T


@T.prim_func
def kernel(device: T.Buffer((32,), "float32"), thread: T.Buffer((32,), "float32"), half: T.float32, constant: T.int32, arg: T.float32,
           threadIdx: T.int32):
    for float4 in T.thread_binding(32, thread="threadIdx.x"):
        int: T.float32 = device[float4] * half
        for metal in range(constant):
            uint: T.let = metal + threadIdx
            int = int + arg * T.Cast("float32", uint)
        thread[float4] = int


inputs = {"device": lambda rng: rng.uniform(-1, 1, 32).astype("float32")}
args = {"half": 0.5, "constant": 4, "arg": 0.25, "threadIdx": 3}


def reference(device, half, constant, arg, threadIdx):
    return {"thread": device.astype(np.float64) * half + sum(arg * (m + threadIdx) for m in range(constant))}
