#!/bin/sh
# air.sh: metallibs made, taken apart and run; what is refused, and what is said where the AIR component is not there.
# usage: tests/cli/air.sh INGOT NPY (from the project's folder)
. "${0%/*}/harness"

cat >add.metal <<'TEXT'
#include <metal_stdlib>
using namespace metal;
kernel void add(device const float *a [[buffer(0)]], device float *b [[buffer(1)]], constant uint &n [[buffer(2)]],
                uint i [[thread_position_in_grid]])
{
    if (i < n) b[i] = exp(a[i]) + 1.0f;
}
TEXT

# Without the component: a message that says what to do.
INGOT_AIR=missing.so ingot_is 1 metallib build add.metal -o add.metallib
err "missing.so"
bad 2 "-o FILE" metallib build add.metal
bad 2 "one system" metallib build add.metal -o x --macos 14.0 --ios 17.0
bad 2 "--std is metal2.3" metallib build add.metal -o x --std c++
bad 2 "there is builtin:metallib" compile x.py --metal-compile builtin:nothing
bad 2 "gives metallib" compile x.py --metal-compile builtin:metallib --metal-compile-format metal

ingot_is 1 air dis /dev/null
if grep -q "needs the AIR component" .err; then
    err "llvm-15-dev"
    done_testing
fi

ingot_is 0 metallib build add.metal -o add.metallib
ingot_is 0 metallib build add.metal -o again.metallib
check "the same bytes" cmp add.metallib again.metallib
ingot_is 0 metallib verify add.metallib
ingot_is 0 metallib info add.metallib
out "format 1.2.7"
out "macOS 14.0"
out "AIR 2.6, Metal 3.1"
ingot_is 0 air dis add.metallib:add
out "constant uint * [[buffer(2)]]  4 bytes, aligned to 4"
out "air.fast_exp.f32"
out 'target triple = "air64_v26-apple-macosx14.0.0"'
ingot_is 0 metallib build add.metal -o safe.metallib --precise --ios 16.0 --std metal2.4
ingot_is 0 air dis safe.metallib
out "call float @air.exp.f32"
out 'target triple = "air64_v25-apple-ios16.0.0"'
out '!{!"Metal", i32 2, i32 4, i32 0}'
bad 1 "no function 'sub'" air dis add.metallib:sub
bad 1 "no deployment target" metallib build add.metal -o x --macos 9.0
bad 1 "at most" metallib build add.metal -o x --macos 12.0 --std metal3.1
printf 'kernel void f(device int *a) { a[0] = b; }\n' >wrong.metal
bad 1 "wrong.metal:1:" metallib build wrong.metal -o x

# Textures: as native code and from a metallib as the device has them.
cat >texel.metal <<'TEXT'
#include <metal_stdlib>
using namespace metal;
kernel void count(texture2d<uint, access::read_write> t [[texture(0)]], uint i [[thread_position_in_grid]])
{
    t.atomic_fetch_add(uint2(i, 0), uint4(1));
}
TEXT
for engine in vm native; do
    ingot_is 0 msl run texel.metal --kernel count --grid 2 --threads 4 --texture t=zeros:r32uint:6x1 --texture-out t=$engine.npy --engine $engine
done
check "a texture as native code" cmp vm.npy native.npy
ingot_is 0 metallib build texel.metal -o texel.metallib
ingot_is 0 msl run texel.metallib --kernel count --grid 2 --threads 4 --texture t=zeros:r32uint:6x1 --texture-out t=library.npy
check "a texture from a metallib" cmp vm.npy library.npy
ingot_is 0 msl list texel.metallib
out "[[texture(0)]]  texture2d<uint, read_write> t"
bad 1 "a texture of format r32float is bound" msl run texel.metallib --kernel count --grid 1 --threads 4 --texture t=zeros:r32float:6x1
cat >held.metal <<'TEXT'
#include <metal_stdlib>
using namespace metal;
struct held { texture2d<uint, access::read_write> t; };
kernel void count(constant held &h [[buffer(0)]], uint i [[thread_position_in_grid]])
{
    h.t.atomic_fetch_add(uint2(i, 0), uint4(1));
}
TEXT
ingot_is 0 metallib build held.metal -o held.metallib
ingot_is 0 air dis held.metallib
out "air.atomic_fetch_add_explicit_texture_2d.u.v4i32"

# A metallib where a text could stand: arguments, function constants, a run.
cat >given.metal <<'TEXT'
#include <metal_stdlib>
using namespace metal;
constant uint by [[function_constant(4)]];
constant float half_of_it = by * 0.5f;
kernel void grow(device float *x [[buffer(0)]], uint i [[thread_position_in_grid]]) { x[i] = x[i] * by + half_of_it; }
TEXT
ingot_is 0 metallib build given.metal -o given.metallib
ingot_is 0 metallib info given.metallib
out "function constant 4: uint by"
ingot_is 0 msl list given.metallib
out "constant uint by [[function_constant(4)]]"
out "kernel grow"
out "[[buffer(0)]]  device float *x"
ingot_is 0 msl run given.metallib --grid 2 --threads 2 --buffer x=1:float,2:float,3:float,4:float --constant by=5
out "7.5 12.5 17.5 22.5"
bad 1 "has no known value" msl run given.metallib --grid 2 --threads 2 --buffer x=zeros:4
bad 2 "no function constant 'bye'" msl run given.metallib --grid 2 --threads 2 --buffer x=zeros:4 --constant bye=5
bad 2 "are of MSL text" msl run given.metallib -D A=1 --grid 2 --threads 2 --buffer x=zeros:4
ingot_is 0 msl run given.metallib --grid 3 --threads 2 --dispatch-threads --buffer x=zeros:4 --constant by=5
out "2.5 2.5 2.5 0"
bad 1 "has no profile" msl run given.metallib --profile --grid 2 --threads 2 --buffer x=zeros:4 --constant by=5

# Checks of a metallib: what its threads do is watched.
cat >meet.metal <<'TEXT'
#include <metal_stdlib>
using namespace metal;
kernel void alone(device float *a [[buffer(0)]], uint t [[thread_position_in_threadgroup]])
{
    threadgroup float s[64];
    s[t] = a[t];
    threadgroup_barrier(mem_flags::mem_threadgroup);
    a[t] = s[63 - t];
}
kernel void together(device float *a [[buffer(0)]], uint t [[thread_position_in_threadgroup]]) { a[t / 2] = t; }
TEXT
ingot_is 0 metallib build meet.metal -o meet.metallib
ingot_is 0 check meet.metallib --kernel alone --grid 1 --threads 64 --buffer a=arange:64
ingot_is 1 check meet.metallib --kernel together --grid 1 --threads 64 --buffer a=arange:64
out "kernel 'together': race: write of 4 bytes at byte 0 (element 0) of buffer 'a' [[buffer(0)]] by thread (1, 0, 0)"
ingot_is 1 msl run meet.metallib --check=bounds --kernel alone --grid 1 --threads 64 --buffer a=arange:60
out "kernel 'alone': bounds: a memory access out of bounds: 4 bytes at offset 240 of 'a' [[buffer(0)]], which has 240"
ingot_is 0 msl run meet.metallib --check=bounds --kernel together --grid 1 --threads 64 --buffer a=arange:64
bad 2 "'check' needs --grid" check meet.metallib --kernel alone
printf 'constant int a [[function_constant(0)]];\nkernel void f(device int *o) { o[0] = is_function_constant_defined(a); }\n' >defined.metal
bad 1 "defined.metal:2:39" metallib build defined.metal -o x

# Damage anywhere in the module: its hash tells, before LLVM sees it.
for at in 700 1500 2500; do
    cp add.metallib bad.metallib
    printf '\377\377\377' | dd of=bad.metallib bs=1 seek="$at" conv=notrunc 2>/dev/null
    bad 1 "SHA-256" air dis bad.metallib
done
done_testing
