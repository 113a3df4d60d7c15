#!/usr/bin/env python3
"""Measures what `ssh -C` does for a line to another host: bytes and time with and without it, over a line of 1 MB/s.

Usage: tools/line-compression.py [path of fugue] [bytes per second] [delay in ms]

A real sshd on loopback leads to a second home, through a proxy that limits the rate and adds 10 ms in each direction.
A rate of 0 is no limit.
The cases are typing, a flood of output in an attached client, a full-screen program, and a command with a large reply.
"""
import os, pty, select, socket, statistics, struct, subprocess, sys, tempfile, termios, threading, time
from fcntl import ioctl
from pathlib import Path

ARGS = [*sys.argv[1:], *["target/debug/fugue", "1000000", "10"][len(sys.argv) - 1:]]
FUGUE, RATE, DELAY = Path(ARGS[0]).resolve(), int(ARGS[1]), int(ARGS[2]) / 1000


class Proxy:
    """Passes bytes on at RATE, each DELAY later, and counts them."""

    def __init__(self, port):
        self.to, self.bytes = port, [0, 0]
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            near, _ = self.listener.accept()
            far = socket.create_connection(("127.0.0.1", self.to))
            for way, (a, b) in enumerate([(near, far), (far, near)]):
                a.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                # A small buffer: the sender must feel the rate, as it would on a real line.
                a.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 32 << 10)
                self.start(a, b, way)

    def start(self, a, b, way):
        queue, ready = [], threading.Condition()

        def read():
            while data := a.recv(8192):
                if RATE:
                    time.sleep(len(data) / RATE)
                self.bytes[way] += len(data)
                with ready:
                    queue.append((time.monotonic() + DELAY, data))
                    ready.notify()
            with ready:
                queue.append((time.monotonic() + DELAY, b""))
                ready.notify()

        def write():
            while True:
                with ready:
                    ready.wait_for(lambda: queue)
                    due, data = queue.pop(0)
                time.sleep(max(0, due - time.monotonic()))
                if not data:
                    return b.shutdown(socket.SHUT_RDWR)
                b.sendall(data)

        def quietly(run):
            try:
                run()
            except OSError:
                pass

        threading.Thread(target=quietly, args=(read,), daemon=True).start()
        threading.Thread(target=quietly, args=(write,), daemon=True).start()


def home(path):
    for name in ("run", "state", "config"):
        (path / name).mkdir(parents=True, mode=0o700)
    return {
        "HOME": str(path), "XDG_RUNTIME_DIR": f"{path}/run", "XDG_STATE_HOME": f"{path}/state",
        "XDG_CONFIG_HOME": f"{path}/config", "SHELL": "/bin/sh", "TERM": "xterm-256color",
        "PATH": f"{FUGUE.parent}:/usr/bin:/bin",
    }


def start_sshd(root, env):
    for key in ("id", "host_key"):
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", root / key], check=True)
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    setenv = " ".join(f"{name}={value}" for name, value in env.items() if name != "TERM")
    (root / "sshd_config").write_text(
        f"Port {port}\nListenAddress 127.0.0.1\nHostKey {root}/host_key\nAuthorizedKeysFile {root}/id.pub\n"
        f"PidFile none\nUsePAM no\nStrictModes no\nPermitRootLogin prohibit-password\nSetEnv {setenv}\n")
    Path("/run/sshd").mkdir(exist_ok=True)
    sshd = subprocess.Popen(["/usr/sbin/sshd", "-D", "-e", "-f", root / "sshd_config"], stderr=subprocess.DEVNULL)
    return sshd, port


def ssh_config(root, port):
    key = (root / "host_key.pub").read_text()
    (root / "known_hosts").write_text(f"[127.0.0.1]:{port} {key}")
    (root / "ssh_config").write_text(
        f"Host box\nHostName 127.0.0.1\nPort {port}\nIdentityFile {root}/id\nIdentitiesOnly yes\n"
        f"UserKnownHostsFile {root}/known_hosts\nStrictHostKeyChecking yes\n")


class Client:
    """A client that is attached in a terminal of 120 by 40."""

    def __init__(self, env, session):
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
            os.execve(FUGUE, ["fugue", "attach", f"box:{session}"], env)
        self.seen = b""

    def wait(self, text, seconds=120):
        until = time.monotonic() + seconds
        while text not in self.seen:
            ready, _, _ = select.select([self.fd], [], [], max(0, until - time.monotonic()))
            if not ready:
                raise SystemExit(f"never shown: {text}")
            self.seen = self.seen[-200_000:] + os.read(self.fd, 65536)

    def type(self, text):
        self.seen = b""
        os.write(self.fd, text)

    def close(self):
        self.type(b"\x02d")
        try:
            while os.read(self.fd, 65536):
                pass
        except OSError:
            pass
        os.waitpid(self.pid, 0)
        os.close(self.fd)


def typing(env, proxy):
    client = Client(env, "echo")
    client.wait(b"ready")
    times, before = [], sum(proxy.bytes)
    for number in range(100):
        key = bytes([ord("a") + number % 26])
        begun = time.monotonic()
        client.type(key)
        client.wait(key)
        times.append((time.monotonic() - begun) * 1000)
        time.sleep(0.02)
    spent = sum(proxy.bytes) - before
    client.close()
    return f"{statistics.median(times):.1f} ms an echo, {spent // 100} bytes a key"


def shown(env, proxy, session, command, end):
    client = Client(env, session)
    client.wait(b"ready")
    before, begun = sum(proxy.bytes), time.monotonic()
    client.type(command + b"\r")
    client.wait(end)
    seconds, spent = time.monotonic() - begun, sum(proxy.bytes) - before
    client.close()
    return f"{seconds:.2f} s, {spent / 1000:.0f} kB"


def reply(env, proxy):
    before, begun = sum(proxy.bytes), time.monotonic()
    words = [FUGUE, "--host", "box", "get-output", "-s", "long", "--lines", "10000"]
    out = subprocess.run(words, env=env, stdout=subprocess.PIPE, check=True).stdout
    return f"{time.monotonic() - begun:.2f} s, {(sum(proxy.bytes) - before) / 1000:.0f} kB for {len(out) / 1000:.0f} kB of text"


FLOOD = b"find /usr -printf '%p %s %t\\n' 2>/dev/null | head -60000; echo flood''ed"
FULL = (b"i=0; while [ $i -lt 100 ]; do printf '\\033[H'; ls -la --color=always /usr/bin | tail -n $((500+i)) | "
        b"head -38 | cut -c1-110; i=$((i+1)); sleep 0.03; done; echo dra''wn")


def main():
    with tempfile.TemporaryDirectory(prefix="line") as root:
        root = Path(root)
        here, there = home(root / "here"), home(root / "there")
        sshd, port = start_sshd(root, there)
        proxy = Proxy(port)
        ssh_config(root, proxy.port)
        far = lambda *words: subprocess.run([FUGUE, *words], env=there, check=True, stdout=subprocess.DEVNULL)
        try:
            shell = ["sh", "-c", "PS1=; export PS1; echo ready; exec sh"]
            far("new", "-d", "-s", "echo", "--", "sh", "-c", "echo ready; exec cat")
            far("new", "-d", "-s", "long", "--", "sh", "-c", FLOOD.decode() + "; exec cat")
            for case in ("flood", "full"):
                for form in ("plain", "packed"):
                    far("new", "-d", "-s", f"{case}-{form}", "--", *shell)
            for form, flag in (("plain", ""), ("packed", " -C")):
                env = {**here, "FUGUE_SSH": f"ssh -F {root}/ssh_config{flag}"}
                print(f"ssh{flag}")
                print("  typing:            ", typing(env, proxy))
                print("  flood of 60k lines:", shown(env, proxy, f"flood-{form}", FLOOD, b"flooded"))
                print("  full-screen program:", shown(env, proxy, f"full-{form}", FULL, b"drawn"))
                print("  10,000 lines read: ", reply(env, proxy), flush=True)
        finally:
            subprocess.run([FUGUE, "shutdown"], env=there, stdout=subprocess.DEVNULL)
            sshd.terminate()
            sshd.wait()


main()
