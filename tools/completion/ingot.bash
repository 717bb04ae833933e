# Completion of ingot's words in bash: source this file, or put it where bash-completion looks. The commands and options
# are read from --help, so that they are always those of the ingot in use.
_ingot() {
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} commands verb
    COMPREPLY=()
    # A command is one word or two, with at least two blanks behind it.
    commands=$("${COMP_WORDS[0]}" --help 2>/dev/null | sed -n '/^commands:/,/^$/s/^  \([a-z]*\( [a-z][a-z]*\)\{0,1\}\)  .*/\1/p')
    if [ "$COMP_CWORD" = 1 ]; then
        mapfile -t COMPREPLY < <(compgen -W "--help --version $(cut -d' ' -f1 <<<"$commands" | sort -u)" -- "$word")
        return
    fi
    verb=(${COMP_WORDS[1]})
    if grep -q "^${COMP_WORDS[1]} " <<<"$commands"; then
        if [ "$COMP_CWORD" = 2 ]; then
            mapfile -t COMPREPLY < <(compgen -W "--help $(sed -n "s/^${COMP_WORDS[1]} //p" <<<"$commands")" -- "$word")
            return
        fi
        verb+=(${COMP_WORDS[2]})
    fi
    case $before in
    --emit) mapfile -t COMPREPLY < <(compgen -W "tir lowered metal tvm-metal" -- "$word"); return ;;
    --target) mapfile -t COMPREPLY < <(compgen -W "metal apple/m1-gpu apple/m1-gpu-restricted apple/m2-gpu" -- "$word"); return ;;
    --metal-compile-format) mapfile -t COMPREPLY < <(compgen -W "metal metallib" -- "$word"); return ;;
    --color) mapfile -t COMPREPLY < <(compgen -W "auto always never" -- "$word"); return ;;
    --device) mapfile -t COMPREPLY < <(compgen -W "metal emu null" -- "$word"); return ;;
    --engine) mapfile -t COMPREPLY < <(compgen -W "vm native auto" -- "$word"); return ;;
    esac
    case $word in
    -*) mapfile -t COMPREPLY < <(compgen -W "$("${COMP_WORDS[0]}" "${verb[@]}" --help 2>/dev/null |
        sed -n 's/^  \(-[A-Za-z], \)\{0,1\}\(--[a-z-]*\).*/\2/p')" -- "$word") ;;
    *) mapfile -t COMPREPLY < <(compgen -f -- "$word") ;;
    esac
}
complete -o filenames -F _ingot ingot
