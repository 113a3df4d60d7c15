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
    __fugue_precmd() {
        builtin local code=$?
        builtin printf '\e]133;D;%s\a' "$code"
        # zsh marks a line that was not ended before this is called: then the mark would count as output. So it is
        # done here, the same way, behind the end of the command.
        if [[ -o prompt_cr && -o prompt_sp ]]; then
            builtin setopt no_prompt_sp
            builtin typeset -g __fugue_eol=1
        elif [[ -n ${__fugue_eol-} ]]; then
            builtin print -nP -- "${PROMPT_EOL_MARK-%B%S%#%s%b}"
            builtin printf '%*s\r \r' $((COLUMNS - 1)) ''
        fi
        builtin printf '\e]133;A\a'
        [[ $PS1 == *'133;B'* ]] || PS1+=$'%{\e]133;B\a%}'
        return $code
    }
    __fugue_preexec() { builtin printf '\e]133;C\a' }
    builtin typeset -ag precmd_functions preexec_functions
    precmd_functions+=(__fugue_precmd)
    preexec_functions+=(__fugue_preexec)
fi
