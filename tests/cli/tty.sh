#!/bin/sh
# tty.sh: what is different on a terminal, and what a signal leaves behind.
# usage: tests/cli/tty.sh INGOT NPY (from the project's folder)
. "${0%/*}/harness"

cat >add.py <<'EOF'
from tvm.script import ir as I
from tvm.script import tirx as T


@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32")):
        for i in T.thread_binding(64, thread="threadIdx.x"):
            B[i] = A[i] + T.float32(1)
EOF
escape=$(printf '\033')
TERM=xterm
export TERM

# on_terminal CODE WORDS: runs the command with a terminal for all its streams; the result is $tmp/.out.
on_terminal() {
    words=$2
    script -qec "'$ingot' $2" /dev/null >.out 2>&1 </dev/null
    status=$?
    if [ "$status" = "$1" ]; then pass; else fail "ingot $2 on a terminal: exit code $status, expected $1" .out; fi
}

on_terminal 1 "compile missing.py"
out "${escape}[1;31merror:${escape}[0m missing.py"
on_terminal 1 "compile missing.py --color=never"
check "no colour when not wanted" sh -c "! grep -q '$escape' .out"
NO_COLOR=1 on_terminal 1 "compile missing.py"
check "no colour with NO_COLOR" sh -c "! grep -q '$escape' .out"
NO_COLOR=1 on_terminal 1 "compile missing.py --color=always"
out "${escape}[1;31merror:"
TERM=dumb on_terminal 1 "compile missing.py"
check "no colour on a dumb terminal" sh -c "! grep -q '$escape' .out"

# Bytes that are no text do not go to a terminal; text does.
on_terminal 2 "compile add.py --emit tvm-metal"
out "standard output is a terminal"
on_terminal 2 "compile add.py -o -"
out "standard output is a terminal"
on_terminal 0 "compile add.py --emit metal"
out "kernel void main_kernel"

# A line of progress from the first second on, gone at the end; none for what is quick.
on_terminal 0 "compile add.py -o x.ingot --metal-compile 'sleep 1.5; cat' --metal-compile-format metal"
out "kernel 1: sleep 1.5; cat ... 1 s"
check "the line is removed" sh -c "tail -c 4 .out | grep -q '$escape\[K'"
on_terminal 0 "compile add.py -o x.ingot --metal-compile cat --metal-compile-format metal"
check "nothing for what is quick" test ! -s .out
"$ingot" compile add.py -o x.ingot --metal-compile 'sleep 1.3; cat' --metal-compile-format metal >.out 2>&1
check "nothing in a file" test ! -s .out

# A signal in the middle of a build leaves the old file as it was, and no other.
cp x.ingot old
for signal in INT TERM HUP; do
    env --default-signal "$ingot" compile add.py -o x.ingot --metal-compile 'touch started; sleep 2' &
    pid=$!
    tries=0
    while [ ! -e started ] && [ $((tries += 1)) -lt 200 ]; do sleep 0.05; done
    kill -s $signal $pid
    wait $pid 2>/dev/null
    check "SIG$signal ends it" test $? -gt 128
    check "SIG$signal: the old file is whole" cmp old x.ingot
    rm -f started
done
# Nor does a kernel that is stopped write anything.
cat >spin.metal <<'EOF'
#include <metal_stdlib>
kernel void spin(device uint *x [[buffer(0)]], uint i [[metal::thread_position_in_grid]]) { while (x[0] == 0) x[i + 1] += 1; }
EOF
env --default-signal "$ingot" msl run spin.metal --grid 4 --threads 64 --buffer x=zeros:257 --out x=spun.npy --check=bounds >.out 2>&1 &
pid=$!
sleep 0.7
kill -s INT $pid
wait $pid 2>/dev/null
check "SIGINT ends a kernel" test $? = 130
check "SIGINT: no file of a kernel's" test ! -e spun.npy
check "nothing temporary is left" test "$(find . -name '*.tmp' | wc -l)" = 0

# A reader that goes away ends the command by SIGPIPE, as any filter.
sh -c "'$ingot' compile add.py --emit metal; echo \$? >.code" | true
check "SIGPIPE or success" grep -qx -e 141 -e 0 .code
done_testing
