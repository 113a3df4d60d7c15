# Prompt marks (OSC 133) for bash. It is started with `--posix` and this file as ENV, so that it reads no other file
# before; its usual files are read here, and then everything is as if this had not been.
builtin set +o posix
# This one option stays when that mode is left.
builtin shopt -u inherit_errexit 2>/dev/null
if [[ -n ${FUGUE_ENV+x} ]]; then builtin export ENV="$FUGUE_ENV"; else builtin unset ENV; fi
if [[ -n ${FUGUE_HISTFILE+x} ]]; then builtin export -n HISTFILE; fi
builtin unset FUGUE_ENV FUGUE_HISTFILE

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

__fugue_ended() {
    builtin local code=$?
    builtin printf '\e]133;D;%s\a' "$code"
    builtin return "$code"
}
__fugue_prompt() {
    builtin local code=$?
    [[ $PS1 == *'133;B'* ]] || PS1+='\[\e]133;B\a\]'
    [[ $PS0 == *'133;C'* ]] || PS0='\e]133;C\a'"$PS0"
    builtin printf '\e]133;A\a'
    builtin return "$code"
}
# The first says how the last command ended, before anything else runs; the last one knows what the prompt became.
if [[ $(builtin declare -p PROMPT_COMMAND 2>/dev/null) == 'declare -a'* ]]; then
    PROMPT_COMMAND=(__fugue_ended "${PROMPT_COMMAND[@]}" __fugue_prompt)
else
    PROMPT_COMMAND=$'__fugue_ended\n'"$PROMPT_COMMAND"$'\n__fugue_prompt'
fi
