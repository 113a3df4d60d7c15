# Prompt marks (OSC 133) for bash. It is started with `--posix` and this file as ENV, so that it reads no other file
# before; its usual files are read here, and then everything is as if this had not been.
builtin set +o posix
# This one option stays when that mode is left.
builtin shopt -u inherit_errexit 2>/dev/null
if [[ -n ${FUGUE_ENV+x} ]]; then builtin export ENV="$FUGUE_ENV"; else builtin unset ENV; fi
if [[ -n ${FUGUE_HISTFILE+x} ]]; then builtin export -n HISTFILE; fi
# What tells our marks from those that a command writes; no program sees it.
__fugue_key=$FUGUE_MARKS __fugue_said=0
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

# They go to the terminal, wherever the shell's output goes.
__fugue_ended() {
    builtin local code=$?
    builtin printf '\e]133;D;%s;k=%s.%s\a' "$code" "$__fugue_key" $((++__fugue_said)) 2>/dev/null >/dev/tty
    builtin return "$code"
}
__fugue_prompt() {
    builtin local code=$?
    [[ $PS1 == *"133;B;k=$__fugue_key"* ]] || PS1+='\[\e]133;B;k='"$__fugue_key"'\a\]'
    [[ $PS0 == *"133;C;k=$__fugue_key"* ]] || PS0='\e]133;C;k='"$__fugue_key"'\a'"$PS0"
    builtin printf '\e]133;A;k=%s.%s\a' "$__fugue_key" $((++__fugue_said)) 2>/dev/null >/dev/tty
    builtin return "$code"
}
# What was typed for somebody in a form that no person would write is nothing to find again.
HISTIGNORE="${HISTIGNORE:+$HISTIGNORE:} eval '*"
# The first says how the last command ended, before anything else runs; the last one knows what the prompt became.
if [[ $(builtin declare -p PROMPT_COMMAND 2>/dev/null) == 'declare -a'* ]]; then
    PROMPT_COMMAND=(__fugue_ended "${PROMPT_COMMAND[@]}" __fugue_prompt)
else
    PROMPT_COMMAND=$'__fugue_ended\n'"$PROMPT_COMMAND"$'\n__fugue_prompt'
fi
