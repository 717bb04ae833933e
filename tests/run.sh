#!/bin/sh
# run.sh: the golden tests. Each x.py beside x.metal, x.tir, x.lowered or x.err is compiled and compared with what
# stands there; the sibling that exists decides. x.args holds further words for the command, in shell quoting.
# usage: tests/run.sh INGOT [FOLDER]...   (UPDATE=1 rewrites the expectations that exist)
set -u
case $1 in /*) ingot=$1 ;; *) ingot=$PWD/$1 ;; esac
shift
root=$(cd "$(dirname "$0")" && pwd)
[ $# -gt 0 ] || set -- "$root/golden"
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
passed=0 failed=0

fail() { # fail WHAT [FILE]: counts a failure, shows the first lines of FILE
    failed=$((failed + 1))
    echo "FAIL $case: $1"
    [ $# -lt 2 ] || sed 's/^/    /' "$2" | head -n 40
}

pass() { passed=$((passed + 1)); }

# compile FILE WORD...: runs the command with the test's own words; the results are $tmp/out, $tmp/err and $status
compile() {
    file=$1; shift
    if [ -n "$words" ]; then eval "set -- \"\$@\" $words"; fi
    "$ingot" compile "$file" "$@" >"$tmp/out" 2>"$tmp/err" </dev/null
    status=$?
}

# expect FILE GOT: compares with the expectation, or rewrites it
expect() {
    if [ "${UPDATE:-0}" = 1 ]; then cp "$2" "$1"; fi
    if diff -u "$1" "$2" >"$tmp/diff"; then pass; else fail "$1 differs" "$tmp/diff"; fi
}

text_test() { # text_test EMIT: the text that --emit EMIT gives
    compile "$name.py" --emit "$1"
    if [ "$status" != 0 ]; then fail "--emit $1: exit code $status" "$tmp/err"; return; fi
    if grep -n '[[:blank:]]$' "$tmp/out" >"$tmp/diff"; then fail "--emit $1: trailing blanks" "$tmp/diff"; return; fi
    expect "$name.$1" "$tmp/out"
}

error_test() { # a refusal: exit code 1, the expected messages, nothing on standard output and no output file
    compile "$name.py" -o "$tmp/none.ingot"
    if [ "$status" != 1 ]; then fail "exit code $status, expected 1" "$tmp/err"; return; fi
    if [ -s "$tmp/out" ] || [ -e "$tmp/none.ingot" ]; then fail "output in spite of errors"; return; fi
    expect "$name.err" "$tmp/err"
}

round_trip() { # print -> parse -> print is a fixed point; definitions are part of the printed text by then
    compile "$name.py" --emit tir
    if [ "$status" != 0 ]; then fail "--emit tir: exit code $status" "$tmp/err"; return; fi
    cp "$tmp/out" "$tmp/first.py"
    "$ingot" compile "$tmp/first.py" --emit tir >"$tmp/second.py" 2>"$tmp/err" </dev/null || {
        fail "the printed text does not parse" "$tmp/err"; return; }
    if diff -u "$tmp/first.py" "$tmp/second.py" >"$tmp/diff"; then pass; else fail "print, parse, print" "$tmp/diff"; fi
}

same_bytes() { # the module depends on the input alone, not on whether passes go function by function or are dumped
    rm -f "$tmp/one.ingot" "$tmp/two.ingot"
    compile "$name.py" -o "$tmp/one.ingot"
    if [ "$status" != 0 ]; then fail "compile: exit code $status" "$tmp/err"; return; fi
    compile "$name.py" -o "$tmp/two.ingot" --dump-passes "$tmp/passes"
    if cmp "$tmp/one.ingot" "$tmp/two.ingot" >"$tmp/diff" 2>&1; then pass; else fail "two compiles differ" "$tmp/diff"; fi
}

here=$PWD
find "$@" -name '*.py' | LC_ALL=C sort >"$tmp/cases"
while read -r path; do
    cd "$here" || exit 2
    case=${path#"$root"/}
    name=$(basename "$path" .py)
    cd "$(dirname "$path")" || exit 2    # messages then name the file without its folder
    words=
    if [ -e "$name.args" ]; then words=$(cat "$name.args"); fi
    if [ -e "$name.err" ]; then error_test; continue; fi
    found=0
    for emit in tir lowered metal; do
        if [ -e "$name.$emit" ]; then found=1; text_test "$emit"; fi
    done
    if [ "$found" = 0 ]; then
        fail "no expectation beside it: make an empty $name.metal (.tir, .lowered, .err), then run with UPDATE=1"
        continue
    fi
    round_trip
    same_bytes
done <"$tmp/cases"

echo "$passed passed, $failed failed"
[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
