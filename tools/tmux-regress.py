#!/usr/bin/env python3
"""Runs tmux's own regression scripts with fugue in the place of tmux, and with tmux itself, and prints a table.

    tools/tmux-regress.py FOLDER [--fugue BINARY] [--tmux BINARY] [--only NAME,…] [--jobs N]

FOLDER is `regress` of tmux's repository. It is copied; every script has a home directory and sockets of its own, and
60 seconds. Those that tmux passes are the goal: many others need a newer tmux than the one that is installed.
"""

import argparse
import concurrent.futures
import os
import pathlib
import shutil
import subprocess
import tempfile

LIMIT = 60  # seconds for a script: most take two
SHOWN = 60  # characters of the last line that a script printed


def environment(home):
    """The environment of a script: nothing of the caller's fugue or tmux is in it."""
    for name in ("run", "state", "config"):
        (home / name).mkdir(mode=0o700)
    kept = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
    return kept | {
        "HOME": str(home),
        "SHELL": "/bin/sh",
        "TMUX_TMPDIR": str(home / "run"),
        "XDG_RUNTIME_DIR": str(home / "run"),
        "XDG_STATE_HOME": str(home / "state"),
        "XDG_CONFIG_HOME": str(home / "config"),
    }


def end_daemons(program, home, env):
    """Ends what a script left running."""
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "timeout": LIMIT}
    for socket in home.glob("run/fugue/*.sock"):
        subprocess.run([program, "-L", socket.stem, "kill-server"], env=env, check=False, **quiet)
    for socket in home.glob("run/tmux-*/*"):
        subprocess.run([program, "-S", str(socket), "kill-server"], env=env, check=False, **quiet)


def run(program, scripts, name):
    """Runs a script. Returns whether it passed, and what it said last."""
    # A short path: the names of sockets are limited.
    with tempfile.TemporaryDirectory(prefix="r") as directory:
        home = pathlib.Path(directory)
        folder = home / "regress"
        shutil.copytree(scripts, folder)
        link = home / "tmux"
        link.symlink_to(program)
        env = environment(home) | {"TEST_TMUX": str(link)}
        words = ["setsid", "timeout", "-k", "5", str(LIMIT), "sh", f"{name}.sh"]
        # A file, not a pipe: a daemon that a script leaves behind would keep the pipe open.
        with open(home / "printed", "wb") as printed:
            ran = subprocess.run(
                words, cwd=folder, env=env, check=False,
                stdin=subprocess.DEVNULL, stdout=printed, stderr=subprocess.STDOUT,
            )
        end_daemons(str(link), home, env)
        text = (home / "printed").read_text(errors="replace")
        said = [line for line in text.splitlines() if line.strip()]
        last = "timed out" if ran.returncode == 124 else (said[-1] if said else f"exit code {ran.returncode}")
        return ran.returncode == 0, last


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--fugue", default="target/release/fugue")
    parser.add_argument("--tmux", default=shutil.which("tmux"))
    parser.add_argument("--only", help="names of scripts, separated by commas")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    given = parser.parse_args()
    names = sorted(path.stem for path in given.folder.glob("*.sh"))
    names = [name for name in names if given.only is None or name in given.only.split(",")]
    programs = [os.path.realpath(given.fugue), os.path.realpath(given.tmux)]
    with concurrent.futures.ThreadPoolExecutor(given.jobs) as pool:
        ran = {name: [pool.submit(run, program, given.folder, name) for program in programs] for name in names}
        passed = [0, 0]
        print(f"{'script':34} fugue  tmux")
        for name in names:
            (ours, said), (theirs, _) = (future.result() for future in ran[name])
            passed = [passed[0] + (ours and theirs), passed[1] + theirs]
            words = ["passes" if ours else "fails", "passes" if theirs else "fails"]
            print(f"{name:34} {words[0]:6} {words[1]:6} {'' if ours else said[:SHOWN]}".rstrip(), flush=True)
    print(f"fugue passes {passed[0]} of the {passed[1]} scripts that tmux passes")


if __name__ == "__main__":
    main()
