#!/bin/sh
# versions.sh: what Metal has since some version only, or not for all types, is emitted so that every version takes it and gives the
# same numbers; what only later versions have is an error that names it and the version.
# usage: tests/cli/versions.sh INGOT NPY (from the project's folder)
. "${0%/*}/harness"

# Shuffles and votes of types that Metal's functions do not take, sums of floats in both memories, bfloat16 and float8.
cat >types.py <<'TEXT'
@T.prim_func
def main(A: T.Buffer((32,), "int64"), H: T.Buffer((32,), "bfloat16"), Q: T.Buffer((32,), "float8_e4m3fn"), B: T.Buffer((32,), "int64"),
         G: T.Buffer((32,), "bfloat16"), S: T.Buffer((2,), "float32"), F: T.Buffer((32,), "float32")):
    for t in T.thread_binding(32, thread="threadIdx.x"):
        M = T.alloc_buffer((1,), "float32", scope="shared")
        B[t] = T.tvm_warp_shuffle(T.uint32(4294967295), A[t], 31 - t, 32, 32)
        G[t] = H[t] + T.bfloat16(1)
        F[t] = T.Cast("float32", Q[t]) * T.float32(2)
        if t == 0:
            M[0] = T.float32(0)
        T.tvm_storage_sync("shared")
        T.atomic_add(M[0], T.Cast("float32", t))
        T.atomic_max(S[1], T.Cast("float32", t))
        T.tvm_storage_sync("shared")
        if t == 5:
            S[0] = M[0]
TEXT
ingot_is 0 compile types.py --emit metal -o types.metal
for version in 2.1 2.3 2.4 3.0 3.1 3.2 4.0; do
    # bfloat16 3.0 and 4.5 are the upper halves of float32's 0x40400000 and 0x40900000; float8_e4m3fn 1.5 is 0x3c.
    ingot_is 0 msl run types.metal --std metal$version --grid 1 --threads 32 --buffer A_ptr=arange:32 \
        --buffer H_ptr=16448,16528,16448,16528,16448,16528,16448,16528,16448,16528,16448,16528,16448,16528,16448,16528,16448,16528,16448,16528,16448,16528,16448,16528,16448,16528,16448,16528,16448,16528,16448,16528 \
        --buffer Q_ptr=60,60,60,60,60,60,60,60,60,60,60,60,60,60,60,60,60,60,60,60,60,60,60,60,60,60,60,60,60,60,60,60 \
        --buffer B_ptr=zeros:32 --buffer G_ptr=zeros:32 --buffer S_ptr=zeros:2 --buffer F_ptr=zeros:32 \
        --out B_ptr=b.npy --out G_ptr=g.npy --out S_ptr=s.npy --out F_ptr=f.npy
    check "a shuffle of int64 by $version" "$npy" check b.npy '<i8' 32 0 count -1 31
    # 4.0 is 0x4080, 5.5 is 0x40b0.
    check "bfloat16 by $version" "$npy" check g.npy '<u2' 32 0 list 16512 16560 16512 16560 16512 16560 16512 16560 16512 16560 16512 16560 16512 16560 \
        16512 16560 16512 16560 16512 16560 16512 16560 16512 16560 16512 16560 16512 16560 16512 16560 16512 16560
    check "atomic operations of floats by $version" "$npy" check s.npy '<f4' 2 0 list 496 31
    check "float8 by $version" "$npy" check f.npy '<f4' 32 0 count 0 3
done

# Matrices of bfloat16 have no other form: the version that lacks them says so, by the type, the version it needs and its own.
cat >matrix.py <<'TEXT'
@T.prim_func
def main(A: T.Buffer((64,), "bfloat16"), B: T.Buffer((64,), "bfloat16")):
    for t in T.thread_binding(32, thread="threadIdx.x"):
        m = T.alloc_buffer((64,), "bfloat16", scope="metal.simdgroup")
        T.metal.simdgroup_load(m.data, 0, T.address_of(A[0]), 8)
        T.metal.simdgroup_store(m.data, 0, T.address_of(B[0]), 8)
TEXT
ingot_is 0 compile matrix.py --emit metal -o matrix.metal
ingot_is 0 msl list --std metal3.1 matrix.metal
bad 1 "needs MSL 3.1, and the text is read as MSL 3.0" msl list --std metal3.0 matrix.metal
err "bfloat"

# What Metal has in no version is refused by the compiler itself, by name.
cat >double.py <<'TEXT'
@T.prim_func
def main(A: T.Buffer((64,), "float64")):
    for t in T.thread_binding(64, thread="threadIdx.x"):
        A[t] = A[t] + T.float64(1)
TEXT
bad 1 "Cannot convert type float64 to Metal type: Metal has no such type" compile double.py --emit metal
done_testing
