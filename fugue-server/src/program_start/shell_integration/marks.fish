# Prompt marks (OSC 133) for fish. fish 4 and later prints marks itself, but they cannot be told from those that a
# command prints. These carry a key that no program sees, and are written to the terminal, even if the shell's output is
# redirected.
# The user's files may have set PATH anew; `tmux` is to be found first where the user chose so.
if set -q FUGUE_TMUX_LINK; and test "$PATH[1]" != "$FUGUE_TMUX_LINK"
    set -gx PATH $FUGUE_TMUX_LINK $PATH
end
if status is-interactive
    set -g __fugue_key $FUGUE_MARKS
    set -g __fugue_count 0
    function __fugue_mark
        set -l code $status
        printf '\e]133;%s;k=%s\a' $argv[1] $__fugue_key$argv[2] 2>/dev/null >/dev/tty
        return $code
    end
    function __fugue_prompt --on-event fish_prompt
        set -g __fugue_count (math $__fugue_count + 1)
        __fugue_mark A .$__fugue_count
    end
    function __fugue_preexec --on-event fish_preexec
        __fugue_mark C ";cmdline_url="(string escape --style=url -- $argv[1])
    end
    function __fugue_postexec --on-event fish_postexec
        set -l code $status
        set -g __fugue_count (math $__fugue_count + 1)
        __fugue_mark "D;$code" .$__fugue_count
    end
end
set -e FUGUE_MARKS
