#!/bin/sh
# run.sh: compile, inspect and run from end to end; every value is compared with one worked out by other means.
# usage: tests/cli/run.sh INGOT NPY (from the project's folder)
. "${0%/*}/harness"

head='from tvm.script import ir as I
from tvm.script import tirx as T


@I.ir_module
class Module:
    @T.prim_func
    def main('
cat >add.py <<EOF
${head}A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32"), x: T.float32):
        for i in T.thread_binding(2, thread="blockIdx.x"):
            for j in T.thread_binding(32, thread="threadIdx.x"):
                B[i * 32 + j] = A[i * 32 + j] + x
EOF
cat >two.py <<EOF
${head}A: T.Buffer((n,), dtype), B: T.Buffer((n,), dtype), C: T.Buffer((n,), dtype)):
        for i in T.thread_binding(n // 4, thread="blockIdx.x"):
            for j in T.thread_binding(4, thread="threadIdx.x"):
                B[i * 4 + j] = A[i * 4 + j] + T.cast(1, dtype)
        for i in T.thread_binding(n, thread="threadIdx.x"):
            C[i] = A[i] + T.cast(2, dtype)
EOF
cat >any.py <<EOF
${head}a: T.handle, b: T.handle):
        n = T.int32()
        A = T.match_buffer(a, (n,), "float32")
        B = T.match_buffer(b, (n,), "float32")
        for bx in T.thread_binding((n + 31) // 32, thread="blockIdx.x"):
            for tx in T.thread_binding(32, thread="threadIdx.x"):
                if bx * 32 + tx < n:
                    B[bx * 32 + tx] = A[bx * 32 + tx] + T.float32(1)
EOF
cat >copy.py <<EOF
${head}A: T.Buffer((512,), dtype), B: T.Buffer((512,), dtype)):
        for i in T.thread_binding(2, thread="blockIdx.x"):
            for j in T.thread_binding(256, thread="threadIdx.x"):
                B[i * 256 + j] = A[i * 256 + j]
EOF

# Values through files: B = A + x.
ingot_is 0 run add.py --in A=arange --arg x=0.5 --out B=b.npy
check "arange + 0.5" "$npy" check b.npy '<f4' 64 0 count 1 0.5
ingot_is 0 run add.py --in A=ones --arg x=-3 --out B=b.npy --out A=a.npy
check "ones" "$npy" check a.npy '<f4' 64 0 count 0 1
check "1 - 3" "$npy" check b.npy '<f4' 64 0 count 0 -2
"$npy" make a.npy '<f4' 64 count 2 -7
ingot_is 0 run add.py --in A=a.npy --arg x=1 --out B=b.npy
check "from a file" "$npy" check b.npy '<f4' 64 0 count 2 -6
ingot_is 0 run add.py --in A=zeros --arg x=inf --out B=b.npy
out "min inf, max inf"
out "64 infinite"
ingot_is 0 run add.py --in A=zeros --arg x=nan
out "64 NaN"

# What is printed.
ingot_is 0 run add.py --in A=arange --arg x=0.5
cat >wanted <<'EOF'
kernel main_kernel: grid (2, 1, 1), threadgroup (32, 1, 1)
B: float32[64], min 0.5, max 63.5, mean 32
    0.5 1.5 2.5 3.5 4.5 5.5 6.5 7.5 ...
EOF
check "the report" diff wanted .out
ingot_is 0 run add.py --in A=zeros --arg x=nan --json
out '"launches": ['
out '"grid": [2, 1, 1]'
out '"threadgroup": [32, 1, 1]'
out '"nan": 64'
out '"first": ["nan", "nan", "nan", "nan", "nan", "nan", "nan", "nan"]'
out '"shape": [64]'

# Random values: the same for the same seed, others for another, whatever else is given.
ingot_is 0 run add.py --arg x=0 --out A=a.npy --out B=b.npy
check "floats in [0, 1)" "$npy" check a.npy '<f4' 64 0 random
check "B is A" cmp a.npy b.npy
ingot_is 0 run add.py --arg x=0 --in B=ones --seed 0 --out A=again.npy
check "the seed is 0 unless given" cmp a.npy again.npy
ingot_is 0 run add.py --arg x=0 --seed 1 --out A=other.npy
check "another seed, other values" sh -c '! cmp -s a.npy other.npy'
for pair in float16:'<f2' float32:'<f4' int8:'|i1' uint8:'|u1' int16:'<i2' uint16:'<u2' int32:'<i4' uint32:'<u4' int64:'<i8' \
    uint64:'<u8' bool:'|b1'; do
    ingot_is 0 run copy.py -D dtype="${pair%%:*}" --out A=a.npy --out B=b.npy
    check "random ${pair%%:*}" "$npy" check a.npy "${pair#*:}" 512 0 random
    check "copied ${pair%%:*}" cmp a.npy b.npy
done
ingot_is 0 run copy.py -D dtype=int8 --in A=arange --out B=b.npy --out A=a.npy
check "arange wraps" cmp a.npy b.npy
out "min -128, max 127, mean -0.5"

# Definitions, two kernels in one function.
ingot_is 0 run two.py -D n=16 -D dtype=float32 --in A=arange --out B=b.npy --out C=c.npy
out "kernel main_kernel: grid (4, 1, 1), threadgroup (4, 1, 1)"
out "kernel main_kernel_1: grid (1, 1, 1), threadgroup (16, 1, 1)"
check "A + 1" "$npy" check b.npy '<f4' 16 0 count 1 1
check "A + 2" "$npy" check c.npy '<f4' 16 0 count 1 2
ingot_is 0 run two.py -D n=7 -D n=8 -D dtype='"int32"' --in A=arange --out C=c.npy
check "the last definition counts" "$npy" check c.npy '<i4' 8 0 count 1 2

# What the shipped examples compute, and the threadgroup memory that their kernels declare.
ingot_is 0 run "$root/examples/matmul.py" --out A=a.npy --out B=b.npy --out C=c.npy
out "kernel main_kernel: grid (16, 16, 1), threadgroup (16, 16, 1), 2048 bytes of threadgroup memory"
check "matmul" "$npy" check c.npy '<f4' 256,256 1e-5 matmul a.npy b.npy
ingot_is 0 run "$root/examples/reduce.py" --out A=a.npy --out B=b.npy
out "grid (64, 1, 1), threadgroup (256, 1, 1), 1024 bytes of threadgroup memory"
check "reduce" "$npy" check b.npy '<f4' 64 1e-5 groups a.npy 1024
ingot_is 0 run "$root/examples/constants.py"
out "A: float32[3], min -inf, max inf, mean nan, 1 NaN, 2 infinite"
ingot_is 0 run "$root/examples/scalar.py" --arg x=2.5 --in A=arange --out B=b.npy
check "scalar" "$npy" check b.npy '<f4' 16 0 count 1 2.5

# Symbolic dimensions: from a file, an argument, a definition.
"$npy" make a.npy '<f4' 77 count 1 0
ingot_is 0 run any.py --in A=a.npy --out B=b.npy
check "n from a file" "$npy" check b.npy '<f4' 77 0 count 1 1
out "grid (3, 1, 1)"
ingot_is 0 compile any.py -o any.ingot
ingot_is 0 run any.ingot --in A=arange --arg n=33 --out B=b.npy
check "n from --arg" "$npy" check b.npy '<f4' 33 0 count 1 1
ingot_is 0 run any.ingot --in A=arange -D n=32 --out B=b.npy
check "n from -D" "$npy" check b.npy '<f4' 32 0 count 1 1

# Modules: the default name, standard input and output, the same bytes each time.
mkdir sub
cp add.py sub/
ingot_is 0 compile sub/add.py
check "the default name" test -s add.ingot
no_out
ingot_is 0 compile add.py -o again.ingot
check "the same bytes" cmp add.ingot again.ingot
"$ingot" compile - -o - <add.py >piped.ingot 2>.err
check "through pipes" cmp add.ingot piped.ingot
ingot_is 0 run add.ingot --in A=arange --arg x=0.5
check "a module's report" diff wanted .out
"$ingot" run - --in A=arange --arg x=0.5 <add.py >.out 2>.err
check "a script from standard input" diff wanted .out
ingot_is 0 run add.ingot --in A=arange --arg x=0.5 --threads 1 --device emu:0
check "one thread" diff wanted .out
ingot_is 0 run add.ingot --in A=arange --arg x=0.5 --device emu --time
out "time of main_kernel: "
ingot_is 0 run add.ingot --in A=arange --arg x=0.5 --device emu --time --json
out '"times": ['
bad 1 "keeps no compiled kernels" run add.ingot --arg x=0.5 --device emu --archive kept
bad 1 "has no captures" run add.ingot --arg x=0.5 --device emu --capture kept.gputrace
absent kept
ingot_is 0 compile add.py -o /dev/null
check "/dev/null is what it was" test -c /dev/null
ingot_is 0 compile add.py --json -o add.ingot
out '"diagnostics": []'
out '"format": "metal"'
out '"ok": true'
ingot_is 0 compile add.py -v -o add.ingot
err "wrote add.ingot: "

# Texts on the way.
for what in tir lowered metal; do
    ingot_is 0 compile add.py --emit $what
    cp .out text
    ingot_is 0 compile add.py --emit $what -o text.$what
    no_out
    check "--emit $what to a file" cmp text text.$what
done
check "it is Metal" grep -q '^kernel void main_kernel(' text.metal
ingot_is 0 compile add.py --emit tvm-metal -o device
ingot_is 0 inspect device
out "TVM's layout"
out "kernel main_kernel"
ingot_is 0 compile add.py --dump-passes passes --verify -o add.ingot
check "00 is the program as parsed" sh -c 'cmp passes/00_*.py text.tir'
check "a file a pass" test "$(find passes -name '[0-9][0-9]_*.py' | wc -l)" -gt 10

# Inspecting.
ingot_is 0 inspect add.ingot
cat >wanted <<'EOF'
format: metal
functions: 1
kernels: 1

function main
  A: float32[64] read
  B: float32[64] written
  x: float32

kernel main_kernel
EOF
sed -n '2,11p' .out >got
check "inspect" diff wanted got
out "launch: blockIdx.x, threadIdx.x"
ingot_is 0 inspect add.ingot --kernel main_kernel
cp .out payload
ingot_is 0 inspect add.ingot --kernel main_kernel --source
check "the payload is the source" cmp payload .out
ingot_is 0 inspect add.ingot --source
out "// Function: main_kernel"
ingot_is 0 inspect add.ingot --json
out '"launch": ["blockIdx.x", "threadIdx.x"]'
ingot_is 0 inspect add.ingot --kernel main_kernel --json
out '"source": "'
ingot_is 0 inspect b.npy
out "float32[32]"
ingot_is 0 inspect text.metal
out "MSL text"

# A compile command: called once a kernel, in order; its bytes are the payload.
# shellcheck disable=SC2016 # for the other shell
ingot_is 0 compile two.py -D n=16 -D dtype=float32 -o two.ingot --metal-compile-format metal \
    --metal-compile 'cat >kept; cat kept >>all; echo "// seen"; cat kept'
check "two calls, in order" sh -c 'grep -o "kernel void [a-z_0-9]*" all | tr "\n" " " | grep -qx "kernel void main_kernel kernel void main_kernel_1 "'
ingot_is 0 inspect two.ingot --kernel main_kernel_1
out "// seen"
ingot_is 0 run two.ingot --in A=arange --out C=c.npy
check "its payload runs" "$npy" check c.npy '<f4' 16 0 count 1 2
ingot_is 0 compile add.py -o big.ingot --metal-compile 'head -c 4000000 /dev/zero' # more than a pipe holds
check "a large payload" test "$(wc -c <big.ingot)" -gt 4000000
ingot_is 0 inspect big.ingot
out "format: metallib"
out "payload: 4000000 bytes"

# Codegen-only modules save the same bytes and refuse to launch.
INGOT_COMPILE_FORCE_FALLBACK=1 "$ingot" compile add.py -o fallback.ingot 2>.err
check "the same bytes without a runtime" cmp add.ingot fallback.ingot
INGOT_COMPILE_FORCE_FALLBACK=1 "$ingot" run add.py --arg x=1 >.out 2>.err
check "refuses to launch" test $? = 1
check "and says so" grep -q "error:" .err
check "nothing temporary is left" test "$(find . -name '*.tmp' | wc -l)" = 0
done_testing
