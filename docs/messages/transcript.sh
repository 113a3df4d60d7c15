#!/usr/bin/env bash
# Makes the transcript in docs/messages.md by running it: an orchestrator and two workers, each a shell in a session of
# a private daemon. Ids and times are written as words, so that two runs read the same.
#   docs/messages/transcript.sh [path of the fugue binary]
set -euo pipefail
fugue=$(command -v "${1:-fugue}")
home=$(mktemp -d)
export HOME=$home XDG_RUNTIME_DIR=$home/run XDG_STATE_HOME=$home/state XDG_CONFIG_HOME=$home/config
export SHELL=/bin/bash PS1='$ ' TZ=UTC PATH=$(dirname "$fugue"):$PATH
unset FUGUE_PANE_ID FUGUE_SOCKET
mkdir -m 700 "$home/run"
trap '"$fugue" shutdown >/dev/null 2>&1 || true; rm -rf "$home"' EXIT

# An id becomes the word it is introduced with below, a time of day its form.
names=()
count=0
plain() {
    local text; text=$(cat)
    for name in "${names[@]}"; do text=${text//${name%%=*}/${name#*=}}; done
    sed -E 's/[0-9]{2}:[0-9]{2}:[0-9]{2}/hh:mm:ss/g; s/in [0-9]+ ms/in N ms/' <<<"$text"
}
call() { names+=("$2=$1"); }
# Runs a command in a session's shell, and shows it with what it printed.
in_session() {
    local session=$1 line=$2
    printf '%s$ %s\n' "$session" "$line" | plain
    "$fugue" run -t "$(pane "$session")" "$line" 2>&1 | plain || true
    echo
}
newest() { "$fugue" list-messages --json "$@" | grep -o '"message_id":"[^"]*"' | tail -1 | cut -d'"' -f4; }
session() { "$fugue" get-tags -s "$1" --json | grep -o '"session_id":"[^"]*"' | cut -d'"' -f4; }
pane() { "$fugue" list-panes -s "$1" --json | grep -o '"pane_id":"[^"]*"' | head -1 | cut -d'"' -f4; }

"$fugue" new -d -s lead --tag orchestrator -- bash --norc >/dev/null
"$fugue" run -t "$(pane lead)" 'fugue new -d -s parser --tag worker -- bash --norc; fugue new -d -s docs --tag worker -- bash --norc' >/dev/null
for session in lead parser docs; do
    call "PANE-OF-${session^^}" "$(pane $session)"
    call "SESSION-${session^^}" "$(session $session)"
done

echo '# The orchestrator gives both workers a task.'
in_session lead "fugue send-orchestration --tag worker task.assigned '{\"read\": \"PLAN.md\"}'" >"$home/first"
call TASK "$(newest)"; plain <"$home/first"; echo

echo '# A worker reads it, says that it works, and acknowledges the task.'
in_session parser 'fugue poll-messages --wait-ms 5000'
in_session parser "fugue poll-messages --ack ${names[-1]%%=*} -n 0"
in_session parser 'fugue report-status working "reading the grammar"'

echo '# Both want the same file: one gets it.'
in_session docs 'fugue claim README.md --note "first draft"'
in_session parser 'fugue claim README.md'

echo '# A worker asks for help and waits for the answer.'
echo 'docs$ fugue request-help "which style guide?" --wait-ms 60000'
"$fugue" send-input -s docs 'fugue request-help "which style guide?" --wait-ms 60000' --submit
"$fugue" poll-messages -s lead --type 'help.*' --wait-ms 20000 >/dev/null
call QUESTION "$(newest --type 'help.*')"
echo '(it waits)'
echo
in_session lead "fugue poll-messages --type 'help.*'"
in_session lead "fugue send-orchestration --reply-to ${names[-1]%%=*} help.answer '{\"say\": \"docs/STYLE.md\"}'" >"$home/answer"
call ANSWER "$(newest)"; plain <"$home/answer"; echo
"$fugue" wait -s docs --match 'STYLE.md' --timeout-ms 20000 >/dev/null
echo '# What the worker sees:'
"$fugue" get-output -s docs --lines 3 | grep -v '^\$ *$' | tail -2 | plain
echo

echo '# Done. The orchestrator reads what came in.'
in_session parser 'fugue report-status complete "the grammar is read"'
for message in $("$fugue" list-messages --type 'status.*' --json | grep -o '"message_id":"[^"]*"' | cut -d'"' -f4); do
    call "STATUS-$((++count))" "$message"
done
in_session lead "fugue poll-messages --type 'status.*'"

echo '# What a person sees, outside.'
echo '$ fugue ls'; "$fugue" ls | plain
echo '$ fugue messages'; "$fugue" messages | plain
