#!/bin/sh
# help.sh: the help texts, the man page and the completion name the same options; wrong command lines are refused.
# usage: tests/cli/help.sh INGOT NPY (from the project's folder)
. "${0%/*}/harness"

names() { grep -o -e '--[a-z][a-z-]*' | LC_ALL=C sort -u; }

ingot_is 0 --version
check "--version" grep -qxE 'ingot [0-9]+\.[0-9]+\.[0-9]+' .out
ingot_is 0 --help
cp .out all
ingot_is 0 help
check "help is --help" cmp all .out
ingot_is 0 -h
check "-h is --help" cmp all .out

sed 's/\\//g' "$root/docs/man/ingot.1" >man
: >options
# A command is one word or two, with at least two blanks behind it.
sed -n '/^commands:/,/^$/s/^  \([a-z]*\( [a-z][a-z]*\)\{0,1\}\)  .*/\1/p' all >verbs
check "there are commands" test "$(wc -l <verbs)" -gt 9
while read -r verb; do
    [ "$verb" != help ] || continue
    # shellcheck disable=SC2086 # a command of two words is two words
    ingot_is 0 $verb --help
    out "usage: ingot $verb"
    cp .out verb
    # shellcheck disable=SC2086
    ingot_is 0 help $verb
    check "help $verb is $verb --help" cmp verb .out
    # shellcheck disable=SC2086
    ingot_is 0 $verb -h
    check "$verb: no line over 80 columns" test "$(awk 'length > 80' verb | wc -l)" = 0
    sed -n 's/^  \(-[A-Za-z], \)\{0,1\}\(--[a-z-]*\).*/\2/p' verb >>options
    check "man page: ingot $verb" grep -q "^\.B ingot $verb" man
done <verbs
LC_ALL=C sort -u options >sorted
check "there are options" test "$(wc -l <sorted)" -gt 10
grep -v '^\.\\"' man | grep -e '^\.B' | names | grep -vx -e --version >in_man
check "the man page has the options of --help" diff sorted in_man
check "the man page's version" grep -q "\"ingot $("$ingot" --version | sed 's/ingot //')\"" man

if command -v bash >/dev/null; then
    cat >complete.bash <<EOF
. "$root/tools/completion/ingot.bash"
COMP_WORDS=("$ingot" compile --emi) COMP_CWORD=2; _ingot; echo "\${COMPREPLY[*]}"
COMP_WORDS=("$ingot" inspe) COMP_CWORD=1; _ingot; echo "\${COMPREPLY[*]}"
COMP_WORDS=("$ingot" compile --emit low) COMP_CWORD=3; _ingot; echo "\${COMPREPLY[*]}"
COMP_WORDS=("$ingot" metall) COMP_CWORD=1; _ingot; echo "\${COMPREPLY[*]}"
COMP_WORDS=("$ingot" metallib ver) COMP_CWORD=2; _ingot; echo "\${COMPREPLY[*]}"
COMP_WORDS=("$ingot" metallib info --js) COMP_CWORD=3; _ingot; echo "\${COMPREPLY[*]}"
EOF
    bash complete.bash >completed
    printf -- '--emit\ninspect\nlowered\nmetallib\nverify\n--json\n' >wanted
    check "completion" diff wanted completed
fi

ingot_is 2
err "usage: ingot"
bad 2 "unknown command 'cmopile'; did you mean 'compile'?" cmopile
bad 2 "unknown command 'xyzzy'" xyzzy
bad 2 "unknown option '--frob'" --frob
bad 2 "unknown command 'nothing'" help nothing
ingot_is 0 metallib --help
out "usage: ingot metallib COMMAND"
cp .out group
ingot_is 0 help metallib
check "help metallib is metallib --help" cmp group .out
bad 2 "'metallib' needs a command" metallib
bad 2 "unknown command 'metallib verfy'; did you mean 'metallib verify'?" metallib verfy x
bad 2 "one too many" help run twice
bad 2 "'compile' needs a script" compile
bad 2 "'run' needs a program" run
bad 2 "'inspect' needs a file" inspect
bad 2 "'y' is one too many" inspect x y
bad 2 "'devices' takes no file" devices x
bad 2 "unknown option '--emti'; did you mean '--emit'?" compile x.py --emti tir
bad 2 "Try 'ingot compile --help'." compile x.py --emti tir
bad 2 "option '--emit' needs a value" compile x.py --emit
bad 2 "option '--json' takes no value" inspect x --json=yes
bad 2 "option '--output' is given twice" compile x.py -o a -o b
bad 2 "--color is auto, always or never" run x.py --color=sometimes

ingot_is 0 devices
out "emu:0"
out "    a threadgroup: 1024 threads (1024 x 1024 x 1024 at most), 32768 bytes of memory"
ingot_is 0 devices --json
out '"kind": "emu"'
out '"max_threads": 1024'

# Colours: only where asked for, as standard error is no terminal here.
escape=$(printf '\033')
ingot_is 1 run missing.py
check "no colour in a file" sh -c "! grep -q '$escape' .err"
ingot_is 1 run missing.py --color=always
check "colour when asked for" grep -q "$escape" .err

# Output that cannot be written is an error, not silence.
if [ -e /dev/full ]; then
    "$ingot" --help >/dev/full 2>.err
    check "--help to a full device" test $? = 1
    check "says why" grep -q "standard output: No space left on device" .err
fi
done_testing
