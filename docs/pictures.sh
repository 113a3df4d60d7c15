#!/usr/bin/env bash
# Makes the pictures in docs/pictures from the running program: a fugue inside a fugue, in a home of its own, its screen
# drawn by `fugue screenshot`. Needs a built binary: FUGUE=path, else target/release/fugue.
set -euo pipefail
cd "$(dirname "$0")/.."
fugue=$(realpath "${FUGUE:-target/release/fugue}")
home=$(mktemp -d)
mkdir -p "$home/run" "$home/outer" docs/pictures
chmod 700 "$home/run" "$home/outer"
cd "$home"

inner() { env -u FUGUE_PANE_ID -u FUGUE_SOCKET HOME="$home" PS1='$ ' SHELL=/bin/sh \
    XDG_RUNTIME_DIR="$home/run" XDG_STATE_HOME="$home/state" XDG_CONFIG_HOME="$home/config" "$fugue" "$@"; }
outer() { env -u FUGUE_PANE_ID -u FUGUE_SOCKET HOME="$home" XDG_RUNTIME_DIR="$home/outer" \
    XDG_STATE_HOME="$home/outer-state" XDG_CONFIG_HOME="$home/config" "$fugue" "$@"; }
trap 'inner shutdown || true; outer shutdown || true; rm -rf "$home"' EXIT

# Programs that say of themselves what agents say (OSC 7501).
agent() { inner new -d -s "$1" -- sh -c "printf '\033]7501;$2\007%s\n' '$3'; exec cat"; }
agent builder 'state=working:app=codex' 'building …'
agent reviewer 'state=blocked:app=claude-code:kind=permission:msg=YXBwcm92ZSBCYXNoOiBtYWtlIHRlc3Q=' 'may I run make test?'
inner send-orchestration -s builder task.assigned '{"task":"tests"}' > /dev/null

outer new -d -s show --size 110x32 -- env -u FUGUE_PANE_ID -u FUGUE_SOCKET HOME="$home" PS1='$ ' SHELL=/bin/sh \
    XDG_RUNTIME_DIR="$home/run" XDG_STATE_HOME="$home/state" XDG_CONFIG_HOME="$home/config" "$fugue" new -s mine -- sh
shows() { outer wait -s show --match "$1" --timeout-ms 20000 > /dev/null; }
keys() { for key in "$@"; do outer send-input -s show --key "$key" > /dev/null; done; }
types() { outer send-input -s show "$1" --submit > /dev/null; }
picture() { outer wait -s show --until idle --idle-ms 300 > /dev/null; outer screenshot -s show --format svg > "$OLDPWD/docs/pictures/$1.svg"; }

shows 'mine'
types 'ls -C --color=always /usr'
keys C-b % C-b '"'
shows '3 panes'
outer wait -s show --until idle --idle-ms 500 > /dev/null
types 'seq 1 60 | column -c 30'
keys C-b b
shows 'claude'
picture agents
keys C-b A
shows 'is blocked'
picture list
keys Escape C-b b C-b P
shows 'do:'
picture palette
keys Escape C-b :
types "display-popup -w 50 -h 8 -- sh -c 'echo a program in a box; exec cat'"
shows 'a program in a box'
picture popup
