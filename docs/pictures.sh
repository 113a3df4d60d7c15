#!/usr/bin/env bash
# Generates the pictures in docs/pictures: runs fugue inside fugue, with a home directory of its own, and draws the inner
# screen with `fugue screenshot`. Needs git, python3 and a built binary: FUGUE=path, or target/release/fugue.
set -euo pipefail
cd "$(dirname "$0")/.."
pictures=$PWD/docs/pictures
fugue=$(realpath "${FUGUE:-target/release/fugue}")
home=$(mktemp -d)
mkdir -p "$home/run" "$home/outer" "$home/bin" "$home/config/fugue" "$home/outer-config" "$home/shop" "$pictures"
chmod 700 "$home/run" "$home/outer"
ln -s "$fugue" "$home/bin/fugue"
cd "$home/shop"

export HOME="$home" PATH="$home/bin:$PATH" SHELL=/bin/sh LANG=C.UTF-8 PS1='$ '
unset FUGUE_PANE_ID FUGUE_SOCKET
inner() { XDG_RUNTIME_DIR="$home/run" XDG_STATE_HOME="$home/state" XDG_CONFIG_HOME="$home/config" fugue "$@"; }
outer() { XDG_RUNTIME_DIR="$home/outer" XDG_STATE_HOME="$home/outer-state" XDG_CONFIG_HOME="$home/outer-config" fugue "$@"; }
trap 'inner shutdown > /dev/null 2>&1 || true; outer shutdown > /dev/null 2>&1 || true; rm -rf "$home"' EXIT
printf 'shell = "%s"\n' "$home/bin/shell" > "$home/config/fugue/config.toml"
printf '#!/bin/sh\nPS1="$(printf "\\033[36mshop\\033[m ") $ " exec sh\n' > "$home/bin/shell"

# A project with some history, and programs that report the states that agents report (OSC 7501).
git init -q -b checkout .
git config user.name me && git config user.email me@example.org
for subject in 'cart: store prices in cents' 'cart: handle an empty cart' 'checkout: ask for a card only once' \
    'checkout: explain why a card was declined' 'mail: add the shop name to the receipt'; do
    git commit -q --allow-empty -m "$subject"
done
seq -f 'test cart::holds_%03g ... ok' 1 120 > tests.txt
cat > "$home/bin/claude" << 'AGENT'
#!/bin/sh
printf '\033]7501;state=blocked:app=claude-code:kind=permission:msg=%s\007' "$(printf 'approve Bash: make test' | base64)"
printf '\033[38;5;174m✻\033[m I moved the rounding into one place.\n\n'
printf '\033[38;5;174m╭─ Bash command ────────────────────────╮\033[m\n'
printf '\033[38;5;174m│\033[m   make test                           \033[38;5;174m│\033[m\n'
printf '\033[38;5;174m│\033[m Do you want to proceed?               \033[38;5;174m│\033[m\n'
printf '\033[38;5;174m│\033[m \033[1m❯ 1. Yes\033[m                              \033[38;5;174m│\033[m\n'
printf '\033[38;5;174m│\033[m   2. No, tell Claude what to do       \033[38;5;174m│\033[m\n'
printf '\033[38;5;174m╰───────────────────────────────────────╯\033[m\n'
exec cat > /dev/null
AGENT
cat > "$home/bin/codex" << 'AGENT'
#!/bin/sh
printf '\033]7501;state=working:app=codex\007\033[2m•\033[m Reading src/cart.rs\n\033[2m•\033[m Writing tests for refunds\n'
exec cat > /dev/null
AGENT
chmod +x "$home/bin/claude" "$home/bin/codex" "$home/bin/shell"

# The outer terminal: a shell in which fugue is started.
outer new -d -s show --size 100x24 -e XDG_RUNTIME_DIR="$home/run" -e XDG_STATE_HOME="$home/state" \
    -e XDG_CONFIG_HOME="$home/config" -- env -u FUGUE_PANE_ID -u FUGUE_SOCKET PS1="~ \$ " sh > /dev/null
shows() { outer wait -s show --match "$1" --timeout-ms 30000 > /dev/null; }
keys() { for key in "$@"; do outer send-input -s show --key "$key" > /dev/null; done; }
types() { outer send-input -s show "$1" --submit > /dev/null; }
rests() { outer wait -s show --until idle --idle-ms 400 > /dev/null; }
picture() { rests; outer screenshot -s show --format svg > "$pictures/$1.svg"; }

rests
types fugue
shows 'lists all keys'
picture first-run

keys C-b '$' C-u && types shop && shows ' shop '
types "clear; git log --oneline --color=always"
keys C-b % && shows '▸' && rests
types 'clear; tail -n 8 tests.txt'
keys C-b '"' && shows '├' && rests
types 'clear; ls -C --color=always /usr'
picture split

keys C-b z && shows '\*Z' && picture zoom
keys C-b z C-b Up && rests
types 'clear; cat tests.txt' && shows 'holds_120'
keys C-b '[' && rests
outer send-input -s show '?_05' --key Enter > /dev/null
shows 'holds_059' && picture search
keys q C-b Down && rests

for agent in builder:codex reviewer:claude; do inner new -d -s "${agent%%:*}" -- "$home/bin/${agent##*:}" > /dev/null; done
inner send-orchestration -s builder task.assigned '{"task":"refunds"}' > /dev/null
shows '1 needs you'
keys C-b b && shows 'approve' && picture agents
keys C-b a && shows 'Do you want' && picture next-agent
keys C-b Tab && shows ' shop ' && keys C-b b && rests
keys C-b A && shows 'needs approval' && picture list
keys Escape C-b P && shows 'Run'
outer send-input -s show 'pane' > /dev/null
picture palette
keys Escape C-b : && rests
types "display-popup -w 60 -h 9 -- sh -c 'git log --color=always --oneline --graph; exec cat'"
shows 'receipt' && picture popup
keys C-b x && rests

# A second client attaches from a smaller terminal, so the window takes its size.
outer new -d -s other --size 72x16 -e XDG_RUNTIME_DIR="$home/run" -e XDG_STATE_HOME="$home/state" \
    -e XDG_CONFIG_HOME="$home/config" -- env -u FUGUE_PANE_ID -u FUGUE_SOCKET fugue attach shop > /dev/null
outer wait -s other --match ' shop ' --timeout-ms 30000 > /dev/null
shows '····' && picture two-clients
outer kill-session -s other > /dev/null
keys Enter && rests

kill -KILL "$(inner server-status --json | sed 's/.*"pid":\([0-9]*\).*/\1/')" && shows 'reconnected' && picture daemon-killed
keys C-b d && shows 'detached' && rests
types 'fugue ls' && shows 'reviewer'
picture detached

# What README shows: some of these pictures, one after the other.
"$pictures/../recording.py"
