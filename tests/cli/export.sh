#!/bin/sh
# export.sh: `ingot export`: libraries that plain C opens, C sources, Metal texts and their descriptions.
# usage: tests/cli/export.sh INGOT NPY (from the project's folder)
. "${0%/*}/harness"

cat >two.py <<'EOF'
@T.prim_func
def main(a: T.handle, b: T.handle, s: T.float32, k: T.int32):
    n = T.int32()
    A = T.match_buffer(a, (n,), "float32")
    B = T.match_buffer(b, (n,), "float32")
    for bx in T.thread_binding((n + 31) // 32, thread="blockIdx.x"):
        for tx in T.thread_binding(32, thread="threadIdx.x"):
            if bx * 32 + tx < n:
                B[bx * 32 + tx] = A[bx * 32 + tx] * s
    for bx in T.thread_binding(k, thread="blockIdx.x"):
        for tx in T.thread_binding(64, thread="threadIdx.x"):
            with T.block("shared"):
                S = T.alloc_buffer((64,), "float32", scope="shared")
                S[tx] = B[tx]
                if bx == 0:
                    B[tx] = S[tx] + T.float32(1)
EOF
ingot_is 0 compile two.py -o two.ingot

# The Metal text is one that the reader takes whole, with the prelude once.
ingot_is 0 export two.ingot -o two.metal
check "the prelude stands once" test "$(grep -c '#include' two.metal)" = 1
check "both kernels" test "$(grep -c '^kernel void main_kernel' two.metal)" = 2
cat >sidecar.py <<'EOF'
import json
d = json.load(open("two.metal.json"))
first, second = d["kernels"]
assert (d["format"], d["math_mode"]) == ("metal", "safe"), d
assert first["buffers"] == [{"index": 0, "name": "A_ptr", "type": "float", "read": True, "written": False},
                            {"index": 1, "name": "B_ptr", "type": "float", "read": False, "written": True}], first
assert first["arguments"] == {"index": 2, "struct": "main_kernel_args_t", "size": 16, "fields": [
    {"offset": 0, "name": "n", "dtype": "int32"}, {"offset": 8, "name": "s", "dtype": "float32"}]}, first
assert second["threadgroup_memory"] == 256, second
assert first["threadgroup_memory"] == 0 and first["max_threads_per_threadgroup"] == 32, first
(function,) = d["functions"]
assert [p["name"] for p in function["params"]] == ["A", "B", "s", "k"], function
assert function["params"][0]["shape"] == ["n"]
one, two = function["launches"]
assert one["kernel"] == "main_kernel" and two["kernel"] == "main_kernel_1"
grid = one["threadgroups"]
assert [eval(t, {"n": 100}) for t in grid] == [4, 1, 1], grid
assert [eval(t, {"n": 128}) for t in grid] == [4, 1, 1], grid
assert one["threads_per_threadgroup"] == ["32", "1", "1"], one
assert two["threadgroups"] == ["k", "1", "1"] and two["threads_per_threadgroup"] == ["64", "1", "1"], two
EOF
check "the description" /usr/bin/python3 sidecar.py
ingot_is 0 export two.ingot -o only.json
check "the same description alone" cmp only.json two.metal.json

# A metallib of all kernels, where the component that compiles is there; the same text makes it.
if "$ingot" air dis /dev/null 2>&1 | grep -q "needs the AIR component"; then
    echo "skipped: no AIR component"
else
    ingot_is 0 export two.ingot -o two.metallib
    check "the same description" cmp two.metallib.json two.metal.json
    ingot_is 0 metallib build two.metal -o built.metallib --precise
    check "the same as from the text" cmp two.metallib built.metallib
    ingot_is 0 export two.py --metal-compile builtin:metallib -o joined.metallib
    for made in two joined; do
        ingot_is 0 metallib info $made.metallib
        check "both kernels in $made" sh -c '"$1" metallib info "$2" | grep -q main_kernel_1' sh "$ingot" $made.metallib
    done
fi

# A library, opened by a C program without tvm-ffi: 64 elements, times 3, plus 1.
ingot_is 0 export two.ingot -o two.so
ingot_is 0 export two.ingot -o two.c
check "the same source each time" sh -c '"$1" export two.ingot -o again.c && cmp two.c again.c' sh "$ingot"
check "the source is clean C" cc -std=gnu11 -Wall -Wextra -Werror -shared -fPIC -o clean.so two.c
cat >use.c <<'EOF'
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
typedef struct { int32_t tag; uint32_t size; union { int64_t i; double f; void *p; } as; } any;
typedef struct { void *data; int32_t device[2]; int32_t ndim; uint8_t code, bits; uint16_t lanes; int64_t *shape, *strides; uint64_t offset; } tensor;
int main(void)
{
    int (*call)(void *, const any *, int32_t, any *);
    void *lib = dlopen("./two.so", RTLD_NOW);
    if (!lib) { puts(dlerror()); return 1; }
    *(void **)&call = dlsym(lib, "__tvm_ffi_main");
    float a[64], b[64] = {0};
    int64_t shape[1] = {64};
    for (int i = 0; i < 64; i++) a[i] = (float)i;
    tensor ta = {a, {1, 0}, 1, 2, 32, 1, shape, NULL, 0}, tb = ta;
    tb.data = b;
    any args[4] = {{7, 0, {.p = &ta}}, {7, 0, {.p = &tb}}, {3, 0, {.f = 3}}, {1, 0, {.i = 1}}}, result = {0};
    if (call(NULL, args, 4, &result) != 0) return 2;
    for (int i = 0; i < 64; i++) if (b[i] != (float)i * 3 + 1) return 3;
    if (result.tag != 0) return 4;
    ta.code = 0; /* integers: refused */
    return call(NULL, args, 4, &result) == -1 ? 0 : 5;
}
EOF
check "a program that opens the library" cc -o use use.c -ldl
library=$(dirname "$ingot")/libingot.so
if [ -e "$library" ] && ! nm -D "$library" 2>/dev/null | grep -q __asan_init; then
    check "the library runs" env INGOT_LIBRARY="$library" ./use
fi
check "symbols" sh -c 'for s in __tvm_ffi_main __tvm_ffi__metadata_main __tvm_ffi__doc_main ingot_module_bytes; do nm -D --defined-only two.so | grep -q " $s\$" || exit 1; done'

# The same in TVM's shape: no libingot in it, the kernels as a blob.
ingot_is 0 export two.ingot --tvm -o shaped.c
check "the source is clean C" cc -std=gnu11 -Wall -Wextra -Werror -shared -fPIC -o shaped.so shaped.c
check "it looks for no libingot" sh -c '! grep -q libingot shaped.c'
check "its symbols" sh -c 'for s in __tvm_ffi_main __tvm_ffi__library_bin __tvm_ffi__library_ctx; do nm -D --defined-only shaped.so | grep -q " $s\$" || exit 1; done'
bad 2 "--tvm is for a library or its source" export two.ingot --tvm -o x.metal

# Refusals leave nothing behind.
bad 2 "no output" export two.ingot
bad 2 "the ending says what to write" export two.ingot -o two.txt
absent two.txt
INGOT_AIR=missing.so bad 1 "AIR component" export two.ingot -o none.metallib
absent none.metallib
absent none.metallib.json
bad 1 "the C compiler 'false' ended with status 1" export two.ingot -o broken.so --cc false
absent broken.so
if [ "$(uname)" != Darwin ]; then
    bad 2 "a .dylib is made on a Mac" export two.ingot -o two.dylib
    absent two.dylib
fi
bad 2 "options for scripts have no use" export two.ingot -o x.c -D n=3
bad 1 "No such file" export none.ingot -o x.c
done_testing
