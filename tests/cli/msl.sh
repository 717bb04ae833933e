#!/bin/sh
# msl.sh: kernels of .metal files listed, run and checked; reports as text, JSON and SARIF.
# usage: tests/cli/msl.sh INGOT NPY (from the project's folder)
. "${0%/*}/harness"

python() { /usr/bin/python3 -B "$@"; }

cat >scale.metal <<'EOF'
#include <metal_stdlib>
#include "ops.h"
using namespace metal;
struct params { uint n; float scale; };
constant int extra [[function_constant(4)]];
kernel void scale(device const float *a [[buffer(0)]], device float *b [[buffer(1)]], constant params &p [[buffer(2)]],
                  uint i [[thread_position_in_grid]])
{
    if (i < p.n) b[i] = OP(a[i], p.scale);
}
kernel void count(device int *x [[buffer(3)]], uint i [[thread_position_in_grid]]) { x[i] = int(i) * STEP + extra; }
EOF
mkdir headers
echo '#define OP(x, y) ((x) * (y))' >headers/ops.h

ingot_is 0 msl list scale.metal -I headers -D STEP=2
out "constant int extra [[function_constant(4)]]"
out "kernel scale: at most 1024 threads a threadgroup, 0 bytes of threadgroup memory"
out "[[buffer(2)]]  constant params &p"
ingot_is 0 msl list scale.metal -I headers -D STEP=2 --json
cp .out list.json
check "list as JSON" python -c '
import json
d = json.load(open("list.json"))
assert [k["name"] for k in d["kernels"]] == ["scale", "count"]
p = d["kernels"][0]["arguments"][2]
assert (p["index"], p["size"], p["reference"], p["type"]) == (2, 8, True, "params"), p
assert d["constants"] == [{"name": "extra", "index": 4, "type": "int"}]'
bad 1 "'ops.h': it is not found" msl list scale.metal
bad 1 "'STEP' is not declared" msl list scale.metal -I headers

# Values by hand: b = a * 0.5 below n, untouched above.
run="msl run scale.metal -I headers -D STEP=10"
ingot_is 0 $run --kernel scale --grid 2 --threads 4 --buffer a=arange:8 --buffer 1=ones:8 --buffer p=6:uint,0.5:float --out b=b.npy
out "kernel scale: grid (2, 1, 1), threadgroup (4, 1, 1)"
out "    0 0.5 1 1.5 2 2.5 1 1"
check "the file" python -c '
import numpy as np
b = np.load("b.npy")
assert b.dtype == np.float32 and b.tolist() == [0, 0.5, 1, 1.5, 2, 2.5, 1, 1], b
np.save("a.npy", np.arange(8, dtype=np.float32).reshape(2, 4))
np.save("wrong.npy", np.arange(8, dtype=np.int64))'
ingot_is 0 $run --kernel scale --grid 8 --threads 2 --dispatch-threads --buffer a=a.npy --buffer b=a.npy --buffer p=8:uint,2:float --format json
cp .out run.json
check "run as JSON" python -c '
import json
d = json.load(open("run.json"))
assert d["grid_threads"] == [8, 1, 1]
assert d["buffers"] == [{"name": "b", "buffer": 1, "dtype": "float32", "shape": [2, 4], "min": 0, "max": 14, "mean": 7,
    "nan": 0, "infinite": 0, "first": [0, 2, 4, 6, 8, 10, 12, 14]}], d'
ingot_is 0 $run --kernel count --grid 1 --threads 3 --buffer 3=zeros:3 --constant extra=-1
out "    -1 9 19"
ingot_is 0 $run --kernel count --grid 1 --threads 3 --buffer 3=zeros:3 --constant 4=7
out "    7 17 27"

bad 2 "needs constant params 'p' at [[buffer(2)]]" $run --kernel scale --grid 1 --threads 1 --buffer a=ones:1 --buffer b=ones:1
bad 2 "choose with --kernel: 'scale', 'count'" $run --grid 1 --threads 1
bad 2 "did you mean 'scale'" $run --kernel scala --grid 1 --threads 1
bad 2 "needs --grid" $run --kernel count --threads 1
bad 2 "--grid: '1,,2' is not" $run --kernel count --grid 1,,2 --threads 1
bad 2 "has no such buffer; there is 3 ('x')" $run --kernel count --grid 1 --threads 1 --buffer y=ones:1
bad 2 "a size is missing" $run --kernel count --grid 1 --threads 1 --buffer x=ones
bad 2 "a real number for a whole type" $run --kernel count --grid 1 --threads 1 --buffer x=1.5
bad 2 "does not fit its type" $run --kernel count --grid 1 --threads 1 --buffer x=3000000000
bad 2 "is given twice" $run --kernel count --grid 1 --threads 1 --buffer x=1 --buffer 3=1
bad 2 "no function constant 'other'" $run --kernel count --constant other=1 --grid 1 --threads 1 --buffer x=1
bad 1 "holds int64, the kernel takes float" $run --kernel scale --grid 1 --threads 1 --buffer a=wrong.npy --buffer b=ones:1 --buffer p=1:uint,1:float
bad 1 "no.npy: No such file" $run --kernel count --grid 1 --threads 1 --buffer x=no.npy
bad 2 "--std: 'metal9' is no version" $run --std metal9
bad 2 "--check" $run --kernel count --grid 1 --threads 1 --buffer x=1 --format sarif
bad 2 "nor 'random'" $run --kernel count --grid 1 --threads 1 --buffer x=1 --order fast
bad 2 "'speed' is no check" $run --kernel count --grid 1 --threads 1 --buffer x=1 --check=speed
bad 1 "out of bounds" $run --kernel count --grid 1 --threads 3 --buffer 3=zeros:2 --constant extra=0

# An order from a seed: what does not depend on it stays the same.
ingot_is 0 $run --kernel count --grid 3 --threads 2 --buffer 3=zeros:6 --constant extra=1 --order 5
out "    1 11 21 31 41 51"
out "to run it again: --order 5 --seed 0"
ingot_is 0 $run --kernel count --grid 3 --threads 2 --buffer 3=zeros:6 --constant extra=1 --order random --check
out "no findings"
out "to run it again: --order "

# What is beyond a limit is a finding with its numbers, not a refusal of the launch.
ingot_is 1 check scale.metal -I headers -D STEP=2 --kernel count --grid 1 --threads 2048 --buffer 3=zeros:2048 --constant extra=1
out "limits: a threadgroup of 2048 x 1 x 1 = 2048 threads; the device allows 1024"

# Textures and samplers: a 2 x 2 image of bytes, its mirror written to a file; an argument buffer; a grid that stands in a buffer.
cat >image.metal <<'EOF'
#include <metal_stdlib>
using namespace metal;
kernel void mirror(texture2d<float, access::sample> in [[texture(0)]], texture2d<float, access::write> out [[texture(1)]],
                   sampler s [[sampler(0)]], uint2 i [[thread_position_in_grid]])
{
    out.write(in.sample(s, float2(2, 0) + float2(-1, 1) * (float2(i) + 0.5f)), i);
}
struct args { device const float *x; device float *y; texture2d<float, access::read> t; float scale; uint n; };
kernel void apply(constant args &a [[buffer(0)]], uint i [[thread_position_in_grid]])
{
    if (i < a.n) a.y[i] = a.x[i] * a.scale + a.t.read(uint2(i, 0)).x;
}
kernel void count(device atomic_uint *n [[buffer(0)]], device const uint *size [[buffer(1)]])
{
    atomic_fetch_add_explicit(n, size[0], memory_order_relaxed);
}
EOF
python -c 'import numpy as np; np.save("in.npy", np.array([[[0, 10], [255, 20]], [[51, 30], [102, 40]]], np.uint8))
np.save("flat.npy", np.array([[1, 2, 3]], np.float32))'
ingot_is 0 msl list image.metal
out "      a.y: device float *y, at byte 8"
out "[[sampler(0)]]"
image="msl run image.metal"
# Sizes may be written either way.
ingot_is 0 $run --kernel count --grid 3x1 --threads 2x1x1 --buffer 3=zeros:2,3 --constant extra=1
out "[2, 3]"
ingot_is 0 $image --kernel mirror --grid 1 --threads 2,2 --texture in=in.npy --texture 1=zeros:rg8unorm:2x2 --sampler s=pixel --texture-out out=out.npy
check "the mirrored image" python -c 'import numpy as np
assert (np.load("out.npy") == [[[255, 20], [0, 10]], [[102, 40], [51, 30]]]).all()'
ingot_is 1 $image --kernel mirror --grid 1 --threads 4,2 --texture in=in.npy --texture 1=zeros:rg8unorm:2x2 --sampler s=pixel,repeat --check
out "out of bounds: write of texel (2, 0) of texture 'out' [[texture(1)]], which is 2 x 2: nothing is written"
ingot_is 0 $image --kernel apply --grid 1 --threads 4 --buffer a.x=1,2,3 --buffer a.y=zeros:3 --buffer a.scale=10 --buffer a.n=3 --texture a.t=flat.npy --check
out "a.y: float32[3]"
out "    11 22 33"
ingot_is 1 $image --kernel apply --grid 1 --threads 4 --buffer a.x=1,2,3 --buffer a.y=zeros:2 --buffer a.scale=10 --buffer a.n=3 --texture a.t=flat.npy --check
out "reaching 4 bytes past its end"
ingot_is 0 $image --kernel count --grid @size:4 --threads 5 --buffer n=zeros:1 --buffer size=1,3,2,1
out "kernel count: grid (3, 2, 1), threadgroup (5, 1, 1)"
out "    30"
bad 2 "needs a texture2d<float, access::sample> 'in'" $image --kernel mirror --grid 1 --threads 2,2
bad 2 "its elements are not those of the pixel format" $image --kernel mirror --grid 1 --threads 2,2 --texture in=in.npy:rg16unorm --texture 1=zeros:rg8unorm:2x2
bad 2 "no such pixel format" $image --kernel mirror --grid 1 --threads 2,2 --texture in=in.npy:rgb9 --texture 1=zeros:rg8unorm:2x2
bad 2 "its dimensions are not those of the texture" $image --kernel mirror --grid 1 --threads 2,2 --texture in=zeros:r8unorm:2 --texture out=zeros:r8unorm:2x2
bad 2 "is no word of samplers" $image --kernel mirror --grid 1 --threads 2,2 --texture in=in.npy --texture 1=zeros:rg8unorm:2x2 --sampler s=fuzzy
bad 2 "a float has 4" $image --kernel apply --grid 1 --threads 4 --buffer a.scale=1,2 --buffer a.x=1 --buffer a.y=zeros:3
bad 2 "has no such buffer; there is 0 ('a'), 'a.x', 'a.y', 'a.scale', 'a.n'" $image --kernel apply --grid 1 --threads 4 --buffer a.z=1

# A profile: 64 threads read a column of 128-byte lines, a line each instead of two for all.
cat >column.metal <<'EOF'
#include <metal_stdlib>
using namespace metal;
kernel void column(device const float *a [[buffer(0)]], device float *b [[buffer(1)]], uint i [[thread_position_in_grid]])
{
    b[i] = a[i * 32];
}
EOF
column="msl run column.metal --grid 1 --threads 64 --buffer a=ones:2048 --buffer b=zeros:64"
ingot_is 0 $column --profile=page.html --format json
cp .out profile.json
check "a profile as JSON" python -c '
import json
p = json.load(open("profile.json"))["profile"]
a = [x for x in p["accesses"] if x["memory"] == "a"][0]
assert (a["lines"], a["least_lines"], a["device_bytes"], a["write"]) == (64, 2, 256, False), a
assert a["offsets"] == [128 * k for k in range(32)] or a["offsets"] == [4096 + 128 * k for k in range(32)]
b = [x for x in p["accesses"] if x["memory"] == "b"][0]
assert (b["lines"], b["least_lines"], b["write"]) == (2, 2, True), b
assert [x["line"] for x in p["lines"] if x["accesses"]] == [5]'
check "a profile as a page" grep -q "<title>column</title>" page.html
check "the page draws the accesses" test "$(grep -c "<svg" page.html)" = 2
check "the page needs nothing else" sh -c "! grep -q -e http -e '<link' -e '<script' page.html"
ingot_is 0 $column --profile
out "b[i] = a[i * 32];"
out "occupancy: 64 threads a threadgroup in 2 simdgroups; 0 bytes of threadgroup memory"

# Checks: a race and an access past the end, each seeded by hand.
cat >faults.metal <<'EOF'
#include <metal_stdlib>
using namespace metal;
kernel void shift(device float *x [[buffer(0)]], uint i [[thread_position_in_grid]])
{
    x[i] = x[i + 1];
}
EOF
ingot_is 1 check faults.metal --grid 1 --threads 64 --buffer x=ones:64
out "faults.metal:5:12: bounds:"
out "race"
out "    5 |     x[i] = x[i + 1];"
out "thread (63, 0, 0) of threadgroup (0, 0, 0), simdgroup 1, lane 31"
out "fix: "
ingot_is 1 msl run faults.metal --grid 1 --threads 64 --buffer x=ones:64 --check=bounds
out "1 finding"
out "x [[buffer(0)]]: float32[64]"
ingot_is 0 check faults.metal --grid 1 --threads 1 --buffer x=ones:2
out "no findings"
ingot_is 1 check faults.metal --grid 1 --threads 64 --buffer x=empty:65 --checks uninitialised
out "uninitialised"
ingot_is 1 check faults.metal --grid 0 --threads 64 --buffer x=ones:65
out "a grid of 0 x 1 x 1 threadgroups runs nothing"
ingot_is 1 check faults.metal --grid 1 --threads 64
out "nothing is bound at 'x' [[buffer(0)]]"
ingot_is 1 check faults.metal --grid 1 --threads 512 --buffer x=ones:600 --checks limits --limits apple/m1-gpu-restricted
out "512 x 1 x 1 = 512 threads; the target allows 256"
ingot_is 0 check faults.metal
out "1 kernel read, none run"
bad 2 "is no check" check faults.metal --checks nothing
bad 2 "'check' needs a program" check

ingot_is 1 check faults.metal --grid 1 --threads 64 --buffer x=ones:64 --format json
cp .out found.json
check "findings as JSON" python -c '
import json
d = json.load(open("found.json"))
bounds = [f for f in d["findings"] if f["check"] == "bounds"][0]
assert bounds["rule"] == "out-of-bounds" and bounds["kernel"] == "shift"
assert bounds["place"]["line"] == 5 and bounds["place"]["thread"] == [63, 0, 0]
assert bounds["memory"] == {"name": "x", "buffer": 0, "byte": 256, "element": 64, "access_bytes": 4, "bytes": 256, "distance": 4}
race = [f for f in d["findings"] if f["check"] == "race"][0]
assert race["other_place"]["line"] == 5
assert d["dropped"] == 0 and d["error"] is None'
ingot_is 1 check faults.metal --grid 1 --threads 64 --buffer x=ones:64 --format sarif
cp .out found.sarif
check "findings as SARIF" python -c '
import json
d = json.load(open("found.sarif"))
assert d["version"] == "2.1.0" and len(d["runs"]) == 1
run = d["runs"][0]
rules = run["tool"]["driver"]["rules"]
assert len({r["id"] for r in rules}) == len(rules)
assert run["results"]
for r in run["results"]:
    assert rules[r["ruleIndex"]]["id"] == r["ruleId"]
    region = r["locations"][0]["physicalLocation"]["region"]
    assert region["startLine"] == 5 and 1 <= region["startColumn"] < region["endColumn"]
    assert r["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "faults.metal"'

# What kernels log: a line a message on standard error, by level, and what fits.
cat >tell.metal <<'EOF'
#include <metal_stdlib>
#include <metal_logging>
kernel void tell(uint i [[thread_position_in_grid]])
{
    metal::os_log_default.log_debug("number %u", i);
    if (i == 3) metal::os_log_default.log_fault("the last\n");
}
EOF
ingot_is 0 msl run tell.metal --grid 2 --threads 2
err "tell.metal:5:5: debug: thread (0, 0, 0) of threadgroup (0, 0, 0): number 0"
err "tell.metal:5:5: debug: thread (1, 0, 0) of threadgroup (1, 0, 0): number 3"
err "tell.metal:6:17: fault: thread (1, 0, 0) of threadgroup (1, 0, 0): the last"
ingot_is 0 msl run tell.metal --grid 2 --threads 2 --log error
check "levels" sh -c 'grep -c "debug\|fault" .err | grep -qx 1'
ingot_is 0 msl run tell.metal --grid 2 --threads 2 --log none
check "no messages" sh -c '! grep -q "thread (" .err'
ingot_is 0 msl run tell.metal --grid 2 --threads 2 --log debug,128
err "the log is full"
bad 2 "'loud' is none of debug, info" msl run tell.metal --grid 1 --threads 1 --log loud

# Scripts and modules: clean ones, and one whose kernel reads past its buffer.
ingot_is 0 check "$root/examples/add_one.py"
out "no findings"
ingot_is 0 check "$root/examples/reduce.py" --format sarif
ingot_is 0 compile "$root/examples/add_one.py" -o add.ingot
ingot_is 0 check add.ingot --json
check "a module as JSON" python -c '
import json
d = json.load(open(".out"))
assert d["findings"] == [] and d["launches"][0]["kernel"] == "main_kernel"'
cat >race.py <<'EOF'
from tvm.script import ir as I
from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((64,), "float32"), B: T.Buffer((1,), "float32")):
        for bx in T.thread_binding(2, thread="blockIdx.x"):
            for tx in T.thread_binding(32, thread="threadIdx.x"):
                B[0] = A[bx * 32 + tx]
EOF
ingot_is 1 check race.py
out "race"
out "main_kernel"
done_testing
