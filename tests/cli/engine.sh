#!/bin/sh
# engine.sh: the engines that run kernels give one result; what native code cannot do is refused, or left to the other engine.
# usage: tests/cli/engine.sh INGOT NPY (from the project's folder)
. "${0%/*}/harness"

cat >sum.metal <<'TEXT'
#include <metal_stdlib>
using namespace metal;
kernel void sum(device const float *a [[buffer(0)]], device float *b [[buffer(1)]], uint g [[threadgroup_position_in_grid]],
                uint t [[thread_position_in_threadgroup]])
{
    threadgroup float s[64];
    s[t] = exp(a[g * 64 + t]);
    for (uint n = 32; n > 0; n /= 2) {
        threadgroup_barrier(mem_flags::mem_threadgroup);
        if (t < n) s[t] += s[t + n];
    }
    if (t == 0) b[g] = s[0];
}
TEXT
run() { # run CODE WORD...
    code=$1
    shift
    ingot_is "$code" msl run sum.metal --grid 4 --threads 64 --buffer a=random:256 --buffer b=zeros:4 "$@"
}

run 0 --out b=vm.npy
run 0 --engine vm --out b=again.npy
check "vm is the default" cmp vm.npy again.npy
run 2 --engine gpu
err "'gpu' is no engine: there are vm, native and auto"
INGOT_ENGINE=gpu run 1
err "INGOT_ENGINE: 'gpu' is no engine"
bad 2 "checks are made by the engine vm" check sum.metal --engine native --grid 4 --threads 64

# Without the component native code is an error that says what to do, and auto does without.
INGOT_AIR=missing.so run 1 --engine native
err "missing.so"
INGOT_AIR=missing.so run 0 --engine auto --out b=auto.npy
check "auto without the component" cmp vm.npy auto.npy

ingot_is 1 air dis /dev/null
if grep -q "needs the AIR component" .err; then done_testing; fi

run 0 --engine native --out b=native.npy
check "native code gives the same bits" cmp vm.npy native.npy
INGOT_ENGINE=native run 0 --out b=native.npy
check "native code by the environment" cmp vm.npy native.npy
# Kept from one process to the next, where a folder is named that no one else may write; what is damaged is made anew.
mkdir kept open
chmod 777 open
for folder in kept open; do
    INGOT_NATIVE_CACHE=$folder run 0 --engine native --out b=native.npy
    check "native code to be kept" cmp vm.npy native.npy
done
file=$(ls kept)
check "one kernel is kept" test ${#file} = 64
check "nothing where others may write" test -z "$(ls -A open)"
INGOT_NATIVE_CACHE=kept run 0 --engine native --out b=native.npy
check "native code that was kept" cmp vm.npy native.npy
size=$(wc -c <"kept/$file")
head -c 100 "kept/$file" >cut && cat cut >"kept/$file"
INGOT_NATIVE_CACHE=kept run 0 --engine native --out b=native.npy
check "native code in place of what was damaged" cmp vm.npy native.npy
check "which is kept whole again" test "$(wc -c <"kept/$file")" = "$size"
INGOT_NATIVE_CACHE=missing run 0 --engine native --out b=native.npy
check "no folder" test ! -e missing
# The last threadgroup has 20 threads of 64: each counts those of its own.
cat >count.metal <<'TEXT'
kernel void count(device uint *out [[buffer(0)]], uint i [[thread_position_in_grid]], uint n [[threads_per_threadgroup]])
{
    out[i] = i * 1000 + n;
}
TEXT
for engine in vm native; do
    ingot_is 0 msl run count.metal --engine $engine --dispatch-threads --grid 148 --threads 64 --buffer out=zeros:150 --out out=$engine.npy
done
check "a smaller threadgroup as native code" cmp vm.npy native.npy
ingot_is 0 msl run count.metal --engine native --dispatch-threads --grid 5 --threads 3 --buffer out=zeros:7
out "3 1003 2003 3002 4002 0 0"
run 0 --out b=vm.npy
run 1 --engine native --check
out "the engine native does not do checks; the engine vm does"
run 0 --engine auto --check
run 1 --engine native --profile
err "does not do profiles"
# an access beyond the end is a fault there too: group 4 begins at float 256
ingot_is 1 msl run sum.metal --engine native --grid 5 --threads 64 --buffer a=random:256 --buffer b=zeros:5
err "threadgroup (4, 0, 0), thread (0, 0, 0): a memory access out of bounds: 4 bytes at offset 1024 of 'a'"

cat >add.py <<'TEXT'
@T.prim_func
def main(a: T.handle, b: T.handle):
    A = T.match_buffer(a, (256,), "float32")
    B = T.match_buffer(b, (256,), "float32")
    for i in T.thread_binding(2, thread="blockIdx.x"):
        for j in T.thread_binding(128, thread="threadIdx.x"):
            B[i * 128 + j] = A[i * 128 + j] + T.float32(1)
TEXT
ingot_is 0 run add.py --out B=vm.npy
ingot_is 0 run add.py --engine native --out B=native.npy
check "a program as native code" cmp vm.npy native.npy
bad 1 "no engines" run add.py --engine native --device null
bad 2 "checks are made by the engine vm" check add.py --engine auto

done_testing
