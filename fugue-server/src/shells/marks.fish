# Prompt marks (OSC 133) for fish. From version 4 on it writes some itself, but what a command writes could be taken for
# those: these have a key that no program sees, and go to the terminal, wherever the shell's output goes.
if status is-interactive
    set -g __fugue_key $FUGUE_MARKS
    set -g __fugue_said 0
    function __fugue_mark
        set -l code $status
        printf '\e]133;%s;k=%s\a' $argv[1] $__fugue_key$argv[2] 2>/dev/null >/dev/tty
        return $code
    end
    function __fugue_prompt --on-event fish_prompt
        set -g __fugue_said (math $__fugue_said + 1)
        __fugue_mark A .$__fugue_said
    end
    function __fugue_preexec --on-event fish_preexec
        __fugue_mark C ";cmdline_url="(string escape --style=url -- $argv[1])
    end
    function __fugue_postexec --on-event fish_postexec
        set -l code $status
        set -g __fugue_said (math $__fugue_said + 1)
        __fugue_mark "D;$code" .$__fugue_said
    end
end
set -e FUGUE_MARKS
