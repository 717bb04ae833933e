#!/bin/sh
# input.sh: every way in which what the user gives can be wrong has its exit code and its message, and leaves nothing.
# usage: tests/cli/input.sh INGOT NPY (from the project's folder)
. "${0%/*}/harness"

cat >add.py <<'EOF'
from tvm.script import ir as I
from tvm.script import tirx as T


@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32"), x: T.float32):
        for i in T.thread_binding(2, thread="blockIdx.x"):
            for j in T.thread_binding(32, thread="threadIdx.x"):
                B[i * 32 + j] = A[i * 32 + j] + x
EOF
cat >any.py <<'EOF'
from tvm.script import ir as I
from tvm.script import tirx as T


@I.ir_module
class Module:
    @T.prim_func
    def main(a: T.handle, b: T.handle):
        n = T.int32()
        A = T.match_buffer(a, (n,), "float32")
        B = T.match_buffer(b, (n,), "float32")
        for bx in T.thread_binding((n + 31) // 32, thread="blockIdx.x"):
            for tx in T.thread_binding(32, thread="threadIdx.x"):
                if bx * 32 + tx < n:
                    B[bx * 32 + tx] = A[bx * 32 + tx] + T.float32(1)
EOF
cat >wrong.py <<'EOF'
from tvm.script import tirx as T


@T.prim_func
def main(A: T.Buffer((4,), "float32")):
    for i in T.thread_binding(4, thread="threadIdx.x"):
        A[i, 0] = T.float32(1)
EOF
mkdir folder

# Files that are not there or no files.
for verb in compile run inspect; do
    bad 1 "missing.py: No such file or directory" $verb missing.py
    bad 1 "folder: Is a directory" $verb folder
done

# Programs that are wrong: the message points at the place; no output file.
for words in "compile wrong.py -o x.ingot" "compile wrong.py -o x.metal --emit metal" "run wrong.py"; do
    # shellcheck disable=SC2086 # words
    ingot_is 1 $words
    err "wrong.py:7:"
    err "^"
    no_out
done
absent x.ingot
absent x.metal
printf 'x = (\n' >broken.py
bad 1 "broken.py:" compile broken.py -o x.ingot
: >empty.py
bad 1 "empty.py" compile empty.py -o x.ingot
head -c 3000 /dev/urandom >noise.py
bad 1 "noise.py" compile noise.py -o x.ingot
absent x.ingot

# Definitions, targets and other words.
bad 2 "--define: 'n' is not of the form NAME=VALUE" compile add.py -D n
bad 2 "--define: '9n' is not a name" compile add.py -D 9n=1
bad 2 "--define n: '1o24' is not a number" compile add.py -D n=1o24
bad 2 "--define n: '99999999999999999999' is outside the range" compile add.py -D n=99999999999999999999
bad 2 "--define n: the value is empty" compile add.py -D n=
bad 2 "--emit: unknown 'metla'; did you mean 'metal'?" compile add.py --emit metla
bad 1 "no-such-target" compile add.py --target no-such-target -o x.ingot
bad 1 "apple/m9" compile add.py --target apple/m9 -o x.ingot
bad 1 "frob" compile add.py --target '{"kind": "metal", "frob": 1}' -o x.ingot
bad 2 "a script from standard input needs -o FILE or --emit" compile -
bad 2 "--metal-compile-format needs --metal-compile" compile add.py --metal-compile-format metal
bad 2 "--metal-compile-format is metal or metallib, not 'air'" compile add.py --metal-compile cat --metal-compile-format air
bad 2 "--metal-compile: the command is empty" compile add.py --metal-compile ' '
bad 2 "--json reports on standard output" compile add.py --json --emit tir
bad 2 "--output: 'add.py' is the script itself" compile add.py -o ./add.py
bad 2 "--out: 'add.py' is the program itself" run add.py --arg x=1 --out B=add.py
absent x.ingot

# Compile commands that fail, print nothing, are not there, or mislabel what they print.
bad 1 "ended with status 7" compile add.py -o x.ingot --metal-compile 'echo cannot compile this >&2; exit 7'
bad 1 "cannot compile this" compile add.py -o x.ingot --metal-compile 'echo cannot compile this >&2; exit 7'
bad 1 "main_kernel" compile add.py -o x.ingot --metal-compile 'exit 7'
bad 1 "was ended by signal 9" compile add.py -o x.ingot --metal-compile 'kill -9 $$'
bad 1 "ended with status 127" compile add.py -o x.ingot --metal-compile no-such-command-here
bad 1 "empty" compile add.py -o x.ingot --metal-compile 'cat >/dev/null'
bad 1 "ended with status 1" run add.py --arg x=1 --metal-compile false
absent x.ingot
ingot_is 0 compile add.py -o text.ingot --metal-compile cat # text called a metallib: builds, with a warning
err "warning"
err "MSL text"
bad 1 "MSL text" run text.ingot --arg x=1

# Outputs that cannot be written.
bad 1 "folder: Is a directory" compile add.py -o folder
bad 1 "no/x.ingot: No such file or directory" compile add.py -o no/x.ingot
bad 1 "add.py: Not a directory" compile add.py --dump-passes add.py -o x.ingot
bad 1 "--out B: no/b.npy: No such file or directory" run add.py --arg x=1 --out B=no/b.npy
absent x.ingot
if [ -e /dev/full ]; then
    "$ingot" compile add.py --emit metal >/dev/full 2>.err
    check "--emit to a full device" test $? = 1
    check "says why" grep -q "No space left on device" .err
fi

# Names that the program does not have.
bad 2 "'main' has no buffer 'Q'; there is 'A', 'B'" run add.py --arg x=1 --in Q=zeros
bad 2 "'main' has no buffer 'out'" run add.py --arg x=1 --out out=b.npy
bad 2 "buffer 'A' is given twice" run add.py --arg x=1 --in A=zeros --in A=ones
bad 2 "'main' has no scalar parameter and no dimension 'y'" run add.py --arg y=1
bad 2 "'main' needs a value for 'x' (float32): --arg x=VALUE" run add.py
bad 2 "--arg x: 'one' is no number" run add.py --arg x=one
bad 1 "the module has no function 'mian'; did you mean 'main'?" run add.py --func mian --arg x=1
bad 1 "nodev" run add.py --arg x=1 --device nodev
bad 2 "--device: 'metal:x' is not of the form" run add.py --arg x=1 --device metal:x
bad 2 "--threads: '0' is no number" run add.py --arg x=1 --threads 0
bad 2 "--seed: '-1' is no whole number" run add.py --arg x=1 --seed=-1

# Arrays that do not fit.
"$npy" make f8.npy '<f8' 64 count 1 0
"$npy" make f4_63.npy '<f4' 63 count 1 0
"$npy" make f4_8x8.npy '<f4' 8,8 count 1 0
"$npy" make f4_64.npy '<f4' 64 count 1 0
head -c 100 f4_64.npy >cut_head.npy
head -c 200 f4_64.npy >cut.npy
echo more | cat f4_64.npy - >long.npy
bad 1 "--in A: f8.npy holds float64, the buffer is float32" run add.py --arg x=1 --in A=f8.npy
bad 1 "--in A: dimension 0 of f4_63.npy is 63, the buffer's is 64" run add.py --arg x=1 --in A=f4_63.npy
bad 1 "--in A: f4_8x8.npy has 2 dimensions, the buffer has 1" run add.py --arg x=1 --in A=f4_8x8.npy
bad 1 "--in A: missing.npy: No such file or directory" run add.py --arg x=1 --in A=missing.npy
for file in cut_head.npy cut.npy long.npy add.py; do bad 1 "--in A: $file" run add.py --arg x=1 --in A=$file; done

# Symbolic dimensions.
bad 2 "'main' has dimensions that nothing tells: n" run any.py
"$npy" make f4_10.npy '<f4' 10 count 1 0
bad 1 "'n' is 10 already" run any.py --in A=f4_10.npy --in B=f4_63.npy
bad 1 "'n' is given as 5, but is 10 already" run any.py --in A=f4_10.npy --arg n=5
bad 1 "negative" run any.py --arg n=-3
bad 1 "the machine has" run any.py --arg n=1000000000000
bad 1 "buffer 'A' is larger than memory can be" run any.py --arg n=9000000000000000000

# Modules that are damaged.
ingot_is 0 compile add.py -o good.ingot
bad 1 "this is a module already" compile good.ingot -o x.ingot
size=$(wc -c <good.ingot)
head -c $((size - 1)) good.ingot >short.ingot
echo junk | cat good.ingot - >junk.ingot
{ head -c $((size / 2)) good.ingot; printf X; tail -c +$((size / 2 + 2)) good.ingot; } >flipped.ingot
for file in short.ingot junk.ingot flipped.ingot; do
    bad 1 "$file" run $file --arg x=1
    bad 1 "$file" inspect $file
done
bad 2 "has no scalar parameter and no dimension 'm'" run good.ingot --arg x=1 -D m=3
bad 2 "--target has no use" run good.ingot --arg x=1 --target metal
bad 1 "no kernel 'main_kernal'; did you mean 'main_kernel'?" inspect good.ingot --kernel main_kernal
bad 1 "need a module" inspect add.py --source
bad 2 "--source prints text" inspect good.ingot --source --json
check "nothing temporary is left" test "$(find . -name '*.tmp' | wc -l)" = 0
done_testing
