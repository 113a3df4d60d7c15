# Prompt marks (OSC 133) for zsh. zsh reads this file as .zshenv because ZDOTDIR names its directory. The user's own
# ZDOTDIR is restored first, so that zsh reads all of the user's files from there.
if [[ -n ${FUGUE_ZDOTDIR+x} ]]; then
    builtin export ZDOTDIR="$FUGUE_ZDOTDIR"
else
    builtin unset ZDOTDIR
fi
builtin unset FUGUE_ZDOTDIR
[[ -r ${ZDOTDIR:-$HOME}/.zshenv ]] && builtin source "${ZDOTDIR:-$HOME}/.zshenv"

if [[ -o interactive ]]; then
    # The key distinguishes our marks from those that a command prints; it is not exported to any program. Marks are
    # written to the terminal, even if the shell's output is redirected.
    builtin typeset -g __fugue_key=$FUGUE_MARKS
    builtin typeset -gi __fugue_count=0
    builtin typeset -g __fugue_called=
    # Each function hides what `set -x` prints about it, which is no output of the command.
    __fugue_precmd() {
        {
            builtin local code=$?
            # The user's own `precmd` is called before all other hooks. What it prints is no output of the command, so it is
            # wrapped in a function that calls this one first.
            if [[ ${1-} == first ]]; then
                __fugue_called=1
            elif [[ -n $__fugue_called ]]; then
                __fugue_called=
                return $code
            elif (( $+functions[precmd] )) && [[ $functions[precmd] != *(__fugue_precmd|autoload\ -X)* ]]; then
                functions[__fugue_user_precmd]=$functions[precmd]
                functions[precmd]='{ __fugue_precmd first } 2>/dev/null; __fugue_user_precmd'
            fi
            builtin printf '\e]133;D;%s;k=%s.%s\a' "$code" "$__fugue_key" $((++__fugue_count)) 2>/dev/null >/dev/tty
            # zsh prints its mark for a missing newline before it calls this hook, where it would count as output of the
            # command. So that is turned off and the same mark is printed here, after the end of the command.
            if [[ -o prompt_cr && -o prompt_sp ]]; then
                builtin setopt no_prompt_sp
                builtin typeset -g __fugue_eol=1
            elif [[ -n ${__fugue_eol-} ]]; then
                builtin print -nP -- "${PROMPT_EOL_MARK-%B%S%#%s%b}"
                builtin printf '%*s\r \r' $((COLUMNS - 1)) ''
            fi 2>/dev/null >/dev/tty
            builtin printf '\e]133;A;k=%s.%s\a' "$__fugue_key" $((++__fugue_count)) 2>/dev/null >/dev/tty
            [[ $PS1 == *"133;B;k=$__fugue_key"* ]] || PS1+=$'%{\e]133;B;k='"$__fugue_key"$'\a%}'
            return $code
        } 2>/dev/null
    }
    # The user's files, which are read later, may set PATH anew; `tmux` is to be found first where the user chose so.
    __fugue_path() {
        {
            [[ -n ${FUGUE_TMUX_LINK-} && $PATH != "$FUGUE_TMUX_LINK":* ]] && PATH=$FUGUE_TMUX_LINK:$PATH
            precmd_functions=(${precmd_functions:#__fugue_path})
            return 0
        } 2>/dev/null
    }
    __fugue_preexec() { { builtin printf '\e]133;C;k=%s\a' "$__fugue_key" >/dev/tty } 2>/dev/null }
    # Keep the generated form of commands that `fugue run` types out of the history.
    __fugue_history() { { [[ $1 != " eval '"* ]] } 2>/dev/null }
    builtin typeset -ag precmd_functions preexec_functions zshaddhistory_functions
    precmd_functions+=(__fugue_precmd __fugue_path)
    preexec_functions+=(__fugue_preexec)
    zshaddhistory_functions+=(__fugue_history)
fi
builtin unset FUGUE_MARKS
