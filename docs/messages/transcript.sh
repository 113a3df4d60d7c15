#!/usr/bin/env bash
# Generates the transcript in docs/messages.md: an orchestrator and two workers, each a shell in its own session of a
# private daemon. Ids and times are replaced with placeholders, so that every run has the same output.
#   docs/messages/transcript.sh [PATH OF THE FUGUE BINARY]
set -euo pipefail
fugue=$(command -v "${1:-fugue}")
home=$(mktemp -d)
export HOME=$home XDG_RUNTIME_DIR=$home/run XDG_STATE_HOME=$home/state XDG_CONFIG_HOME=$home/config
export SHELL=/bin/bash PS1='$ ' TZ=UTC PATH=$(dirname "$fugue"):$PATH
unset FUGUE_PANE_ID FUGUE_SOCKET
mkdir -m 700 "$home/run"
mkdir "$home/src"
cd "$home/src"
trap '"$fugue" shutdown >/dev/null 2>&1 || true; rm -rf "$home"' EXIT

# Replaces each id with the name given to it by `call`, and each time of day with hh:mm:ss.
names=("$(pwd -P)=/src")
count=0
plain() {
    local text; text=$(cat)
    for name in "${names[@]}"; do text=${text//${name%%=*}/${name#*=}}; done
    sed -E 's/[0-9]{2}:[0-9]{2}:[0-9]{2}/hh:mm:ss/g; s/in [0-9]+ ms/in N ms/' <<<"$text"
}
call() { names+=("$2=$1"); }
# Runs a command in a session's shell, and prints the command and its output.
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

echo '# The orchestrator assigns a task to both workers.'
in_session lead "fugue send-orchestration --tag worker task.assigned '{\"read\": \"PLAN.md\"}'" >"$home/first"
call TASK "$(newest)"; plain <"$home/first"; echo

echo '# A worker reads the task, acknowledges it and reports that it is working.'
in_session parser 'fugue poll-messages --wait-ms 5000'
in_session parser "fugue poll-messages --ack ${names[-1]%%=*} -n 0"
in_session parser 'fugue report-status working "reading the grammar"'

echo '# Both workers want the same file. Only one gets the lease.'
in_session docs 'fugue claim README.md --note "first draft"'
in_session parser 'fugue claim README.md'

echo '# A worker asks for help and waits for the answer.'
echo 'docs$ fugue request-help "which style guide?" --wait-ms 60000'
"$fugue" send-input -s docs 'fugue request-help "which style guide?" --wait-ms 60000' --submit
"$fugue" poll-messages -s lead --type 'help.*' --wait-ms 20000 >/dev/null
call QUESTION "$(newest --type 'help.*')"
echo '(waiting)'
echo
in_session lead "fugue poll-messages --type 'help.*'"
in_session lead "fugue send-orchestration --reply-to ${names[-1]%%=*} help.answer '{\"say\": \"docs/STYLE.md\"}'" >"$home/answer"
call ANSWER "$(newest)"; plain <"$home/answer"; echo
"$fugue" wait -s docs --match 'STYLE.md' --timeout-ms 20000 >/dev/null
echo '# The worker receives the answer:'
"$fugue" get-output -s docs --lines 3 | grep -v '^\$ *$' | tail -2 | plain
echo

echo '# A worker finishes. The orchestrator reads the status reports.'
in_session parser 'fugue report-status complete "finished reading the grammar"'
for message in $("$fugue" list-messages --type 'status.*' --json | grep -o '"message_id":"[^"]*"' | cut -d'"' -f4); do
    call "STATUS-$((++count))" "$message"
done
in_session lead "fugue poll-messages --type 'status.*'"

echo '# A person looks at the sessions and messages from outside.'
echo '$ fugue ls'; "$fugue" ls | plain
echo '$ fugue messages'; "$fugue" messages | plain
