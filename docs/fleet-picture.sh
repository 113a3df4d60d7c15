#!/usr/bin/env bash
# Generates docs/pictures/fleet.svg: two hosts (homes of their own on this machine), a NATS server and their relays, and
# the commands of docs/fleet.md in a pane of one of them. Needs nats-server (or FUGUE_NATS_SERVER), and `fugue` and
# `fugue-fleet` in one directory: FUGUE=path of fugue, or target/release/fugue.
set -euo pipefail
cd "$(dirname "$0")/.."
picture=$PWD/docs/pictures/fleet.svg
fugue=$(realpath "${FUGUE:-target/release/fugue}")
nats=${FUGUE_NATS_SERVER:-$(command -v nats-server || echo /usr/sbin/nats-server)}
home=$(mktemp -d)
pids=()
on() {
    local host=$1
    shift
    env -u FUGUE_PANE_ID -u FUGUE_SOCKET HOME="$home/$host" XDG_RUNTIME_DIR="$home/$host/run" \
        XDG_STATE_HOME="$home/$host/state" XDG_CONFIG_HOME="$home/$host/config" SHELL=/bin/sh LANG=C.UTF-8 \
        PATH="$home/bin:$(dirname "$fugue"):$PATH" "$@"
}
trap 'for host in desk gpu; do on $host fugue shutdown > /dev/null 2>&1 || true; done
    kill "${pids[@]}" $(cat "$home"/*/relay.pid 2> /dev/null) 2> /dev/null || true; wait 2> /dev/null || true; sleep 1; rm -rf "$home"' EXIT
mkdir -p "$home/bin"
printf '#!/bin/sh\necho training; exec cat\n' > "$home/bin/train" && chmod +x "$home/bin/train"
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
"$nats" --jetstream --store_dir "$home/nats" --addr 127.0.0.1 --port "$port" > "$home/nats.log" 2>&1 &
pids+=($!)
for host in desk gpu; do
    mkdir -p "$home/$host/run" "$home/$host/config/fugue" && chmod 700 "$home/$host/run"
    printf '[fleet]\nhost = "%s"\nservers = ["nats://127.0.0.1:%s"]\n' "$host" "$port" > "$home/$host/config/fugue/config.toml"
done
printf '[fleet.run]\ndesk = ["train"]\n' >> "$home/gpu/config/fugue/config.toml"
on gpu fugue new -d -s eval -- cat > /dev/null
on desk fugue new -d -s lead --size 100x24 -e PS1='\033[36mdesk\033[m $ ' -- sh > /dev/null
for host in desk gpu; do
    on $host sh -c 'echo $$; exec fugue-fleet run' > "$home/$host/relay.pid" 2> "$home/$host/relay.log" &
    pids+=($!)
done
until on desk fugue fleet status 2> /dev/null | grep -q 'gpu: eval'; do sleep 0.2; done

types() { on desk fugue send-input -s lead "$1" --submit > /dev/null && rests; }
rests() { on desk fugue wait -s lead --until idle --idle-ms 600 > /dev/null; }
types 'PS1="$(printf "\033[36mdesk\033[m") $ "; clear'
types 'fugue fleet status'
types 'fugue new -d --on gpu -s train -- train'
types "fugue send-orchestration --session gpu/train task.assigned '{\"read\": \"PLAN.md\"}'"
on gpu fugue poll-messages -s train --wait-ms 10000 > /dev/null
sleep 1
types 'fugue messages'
on desk fugue screenshot -s lead --format svg > "$picture"
on desk fugue get-output -s lead --mode screen
