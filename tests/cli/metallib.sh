#!/bin/sh
# metallib.sh: the verbs of `ingot metallib` on small files that are put together here, byte by byte.
# usage: tests/cli/metallib.sh INGOT NPY (from the project's folder)
. "${0%/*}/harness"

# make FILE NAME...: a metallib of kernels with these names, each with a module of 48 bytes, as its format is described
# in docs/metallib.md. The library is written by Python, so that nothing of what is tested takes part.
cat >make.py <<'EOF'
import hashlib, struct, sys

def tag(name, payload):
    return name + struct.pack("<H", len(payload)) + payload

def u64(*values):
    return struct.pack("<%dQ" % len(values), *values)

names = sys.argv[2:]
functions = modules = b""
groups = b"".join(b"\x08\0\0\0ENDT" for _ in names)
for i, name in enumerate(names):
    code = b"BC\xC0\xDE" + name.encode().ljust(12, b"\0")
    module = (struct.pack("<5I", 0x0B17C0DE, 0, 20, 16, 0xFFFFFFFF) + code).ljust(48, b"\0")
    tags = (tag(b"NAME", name.encode() + b"\0") + tag(b"TYPE", b"\x02") + tag(b"HASH", hashlib.sha256(module).digest())
            + tag(b"OFFT", u64(8 * i, 8 * i, len(modules))) + tag(b"VERS", struct.pack("<4H", 2, 6, 3, 1))
            + tag(b"MDSZ", u64(len(module))) + b"ENDT")
    functions += struct.pack("<I", len(tags) + 4) + tags
    modules += module
extension = tag(b"UUID", b"0123456789abcdef") + b"ENDT"
public = 92 + len(functions) + len(extension)
private, code_at = public + len(groups), public + 2 * len(groups)
header = b"MTLB" + struct.pack("<3H2BH2B", 0x8001, 2, 7, 0, 0x81, 14, 4, 0) + u64(
    code_at + len(modules), 88, len(functions), public, len(groups), private, len(groups), code_at, len(modules))
data = header + struct.pack("<I", len(names)) + functions + extension + groups * 2 + modules
open(sys.argv[1], "wb").write(data)
EOF
make() { /usr/bin/python3 make.py "$@"; }
make both.metallib add scale
make add.metallib add
make scale.metallib scale
make none.metallib

ingot_is 0 metallib ls both.metallib
out "kernel       add  48 bytes"
out "kernel       scale  48 bytes"
ingot_is 0 metallib ls both.metallib --json
check "names as JSON" sh -c "tr -d ' \n' <.out | grep -qx '\[\"add\",\"scale\"\]'"
ingot_is 0 metallib info both.metallib
out "format 1.2.7, executable for macOS 14.4.0"
out "UUID 30313233-3435-3637-3839-616263646566"
out "AIR 2.6, Metal 3.1"
out "SHA-256 $(tail -c 48 both.metallib | sha256sum | cut -d' ' -f1)"
ingot_is 0 metallib info both.metallib --json
out '"oldest_system": "14.4.0"'
check "info is JSON" /usr/bin/python3 -c 'import json; m = json.load(open(".out")); assert [f["name"] for f in m["functions"]] == ["add", "scale"]'
ingot_is 0 inspect both.metallib
out "both.metallib: metallib, format 1.2.7"
ingot_is 0 metallib ls none.metallib
no_out
ingot_is 0 metallib verify both.metallib add.metallib none.metallib
out "both.metallib: good, 2 functions"

# A function taken out is the library that has it alone, but for the UUID, which is made from what is inside.
same() { # same A B: equal but for the 16 bytes of their UUIDs, which stand 16 + 4 bytes before the two empty groups
    /usr/bin/python3 - "$1" "$2" <<'EOF'
import sys
a, b = (open(f, "rb").read() for f in sys.argv[1:])
at = a.index(b"UUID") + 6
sys.exit(a[:at] + a[at + 16:] != b[:at] + b[at + 16:] or len(a) != len(b))
EOF
}
ingot_is 0 metallib extract both.metallib --function scale -o out.metallib
check "extract" same out.metallib scale.metallib
"$ingot" inspect both.metallib --extract add >piped.metallib
check "inspect --extract" same piped.metallib add.metallib
ingot_is 0 metallib link add.metallib scale.metallib -o out.metallib
check "link" same out.metallib both.metallib
cp out.metallib first.metallib
ingot_is 0 metallib link add.metallib scale.metallib -o out.metallib
check "link gives the same bytes each time" cmp first.metallib out.metallib
ingot_is 0 metallib strip both.metallib -o out.metallib
check "strip leaves what has no sources" same out.metallib both.metallib

# Fat binaries, in both byte orders: a library and code of a GPU.
/usr/bin/python3 - <<'EOF'
import struct
library = open("add.metallib", "rb").read()
for name, order in ("big", ">"), ("little", "<"):
    at = 8 + 20 * 2
    rows = struct.pack(order + "10I", 0x1000017, 0, at, len(library), 0, 0x1000013, 1, at + len(library), 4, 0)
    open(name + ".fat", "wb").write(struct.pack(order + "2I", 0xCBFEBABE, 2) + rows + library + b"code")
    open(name + ".cut", "wb").write(struct.pack(order + "2I", 0xCBFEBABE, 2) + rows + library)
EOF
for order in big little; do
    ingot_is 0 metallib ls $order.fat
    out "kernel       add  48 bytes"
    ingot_is 0 metallib extract $order.fat --slice 0 -o slice.metallib
    check "slice of $order.fat" cmp slice.metallib add.metallib
    bad 1 "1: Apple GPU code, 4 bytes" metallib ls $order.fat --slice 2
    bad 1 "slice 1 (offset" metallib ls $order.cut
done

rm -f out.metallib
bad 1 "no function \"mul\" among its 2" metallib extract both.metallib --function mul -o out.metallib
bad 1 "two functions are named \"add\"" metallib link both.metallib add.metallib -o out.metallib
bad 2 "where to?" metallib strip both.metallib
bad 2 "what of it?" metallib extract both.metallib -o out.metallib
bad 2 "is no fat binary" metallib ls both.metallib --slice 0
bad 1 "not a metallib: the bytes are" metallib info make.py
head -c 200 both.metallib >cut.metallib
bad 1 "cut short: the header says" metallib ls cut.metallib
{ head -c -1 both.metallib; printf x; } >flipped.metallib
ingot_is 1 metallib verify both.metallib flipped.metallib
out "both.metallib: good"
err "the SHA-256 of its module does not match"
absent out.metallib
done_testing
