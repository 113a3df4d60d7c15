# Prompt marks (OSC 133) for fish. From version 4 on it writes them itself.
if status is-interactive; and test (string split . -- $version)[1] -lt 4
    function __fugue_prompt --on-event fish_prompt
        printf '\e]133;A\a'
    end
    function __fugue_preexec --on-event fish_preexec
        printf '\e]133;C\a'
    end
    function __fugue_postexec --on-event fish_postexec
        printf '\e]133;D;%s\a' $status
    end
end
