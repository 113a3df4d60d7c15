# Prompt marks (OSC 133) for zsh. It is read as .zshenv because ZDOTDIR named its folder; the user's own folder is put
# back first, so that zsh reads every file of the user's from there.
if [[ -n ${FUGUE_ZDOTDIR+x} ]]; then
    builtin export ZDOTDIR="$FUGUE_ZDOTDIR"
else
    builtin unset ZDOTDIR
fi
builtin unset FUGUE_ZDOTDIR
[[ -r ${ZDOTDIR:-$HOME}/.zshenv ]] && builtin source "${ZDOTDIR:-$HOME}/.zshenv"

if [[ -o interactive ]]; then
    # What tells our marks from those that a command writes; no program sees it. They go to the terminal, wherever the
    # shell's output goes.
    builtin typeset -g __fugue_key=$FUGUE_MARKS
    builtin typeset -gi __fugue_said=0
    __fugue_precmd() {
        builtin local code=$?
        builtin printf '\e]133;D;%s;k=%s.%s\a' "$code" "$__fugue_key" $((++__fugue_said)) 2>/dev/null >/dev/tty
        # zsh marks a line that was not ended before this is called: then the mark would count as output. So it is
        # done here, the same way, behind the end of the command.
        if [[ -o prompt_cr && -o prompt_sp ]]; then
            builtin setopt no_prompt_sp
            builtin typeset -g __fugue_eol=1
        elif [[ -n ${__fugue_eol-} ]]; then
            builtin print -nP -- "${PROMPT_EOL_MARK-%B%S%#%s%b}"
            builtin printf '%*s\r \r' $((COLUMNS - 1)) ''
        fi 2>/dev/null >/dev/tty
        builtin printf '\e]133;A;k=%s.%s\a' "$__fugue_key" $((++__fugue_said)) 2>/dev/null >/dev/tty
        [[ $PS1 == *"133;B;k=$__fugue_key"* ]] || PS1+=$'%{\e]133;B;k='"$__fugue_key"$'\a%}'
        return $code
    }
    __fugue_preexec() { builtin printf '\e]133;C;k=%s\a' "$__fugue_key" 2>/dev/null >/dev/tty }
    # What was typed for somebody in a form that no person would write is nothing to find again.
    __fugue_history() { [[ $1 != " eval '"* ]] }
    builtin typeset -ag precmd_functions preexec_functions zshaddhistory_functions
    precmd_functions+=(__fugue_precmd)
    preexec_functions+=(__fugue_preexec)
    zshaddhistory_functions+=(__fugue_history)
fi
builtin unset FUGUE_MARKS
