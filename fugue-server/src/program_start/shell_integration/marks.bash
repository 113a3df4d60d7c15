# Prompt marks (OSC 133) for bash. bash is started with `--posix` and this file as ENV, so that it reads no other file
# first. This file leaves POSIX mode, restores what was changed, and reads bash's usual startup files.
builtin set +o posix
# Leaving POSIX mode does not reset this option.
builtin shopt -u inherit_errexit 2>/dev/null
if [[ -n ${FUGUE_ENV+x} ]]; then builtin export ENV="$FUGUE_ENV"; else builtin unset ENV; fi
if [[ -n ${FUGUE_HISTFILE+x} ]]; then builtin export -n HISTFILE; fi
# The key distinguishes our marks from those that a command prints; it is not exported to any program.
__fugue_key=$FUGUE_MARKS __fugue_count=0
builtin unset FUGUE_ENV FUGUE_HISTFILE FUGUE_MARKS

if builtin shopt -q login_shell; then
    [[ -r /etc/profile ]] && builtin source /etc/profile
    if [[ -r ~/.bash_profile ]]; then builtin source ~/.bash_profile
    elif [[ -r ~/.bash_login ]]; then builtin source ~/.bash_login
    elif [[ -r ~/.profile ]]; then builtin source ~/.profile
    fi
else
    [[ -r /etc/bash.bashrc ]] && builtin source /etc/bash.bashrc
    [[ -r ~/.bashrc ]] && builtin source ~/.bashrc
fi

# The user's files may have set PATH anew; `tmux` is to be found first where the user chose so.
if [[ -n ${FUGUE_TMUX_LINK-} && $PATH != "$FUGUE_TMUX_LINK":* ]]; then PATH=$FUGUE_TMUX_LINK:$PATH; fi

# Marks are written to the terminal, even if the shell's output is redirected.
__fugue_ended() {
    builtin local code=$?
    builtin printf '\e]133;D;%s;k=%s.%s\a' "$code" "$__fugue_key" $((++__fugue_count)) 2>/dev/null >/dev/tty
    builtin return "$code"
}
__fugue_prompt() {
    builtin local code=$?
    [[ $PS1 == *"133;B;k=$__fugue_key"* ]] || PS1+='\[\e]133;B;k='"$__fugue_key"'\a\]'
    [[ $PS0 == *"133;C;k=$__fugue_key"* ]] || PS0='\e]133;C;k='"$__fugue_key"'\a'"$PS0"
    builtin printf '\e]133;A;k=%s.%s\a' "$__fugue_key" $((++__fugue_count)) 2>/dev/null >/dev/tty
    builtin return "$code"
}
# Keep the generated form of commands that `fugue run` types out of the history.
HISTIGNORE="${HISTIGNORE:+$HISTIGNORE:} eval '*"
# The first hook reports the exit code before any other hook runs; the last one sees the final prompt. They print to the
# terminal; what `set -x` and a DEBUG trap print about them is no output of the command.
if [[ $(builtin declare -p PROMPT_COMMAND 2>/dev/null) == 'declare -a'* ]]; then
    PROMPT_COMMAND=('{ __fugue_ended; } >/dev/null 2>&1' "${PROMPT_COMMAND[@]}" '{ __fugue_prompt; } >/dev/null 2>&1')
else
    PROMPT_COMMAND=$'{ __fugue_ended; } >/dev/null 2>&1\n'"$PROMPT_COMMAND"$'\n{ __fugue_prompt; } >/dev/null 2>&1'
fi
