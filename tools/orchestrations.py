#!/usr/bin/env python3
"""Runs ten orchestrations with MCP tools alone, and counts the calls and the tokens of the replies.

    python3 -m venv /tmp/orchestrations && /tmp/orchestrations/bin/pip install mcp
    npm install --prefix /tmp/tokenizer gpt-tokenizer
    NODE_PATH=/tmp/tokenizer/node_modules /tmp/orchestrations/bin/python tools/orchestrations.py --fugue target/debug/fugue

Each orchestration has a daemon of its own, in temporary directories. Its agents are clients of the official Python SDK,
which checks every reply against the tool's output schema. A reply that an agent did not expect is a stumble and fails
the orchestration. With several `--fugue`, the table compares them; the exit code is 1 if the last one fails anywhere.
"""

import argparse
import asyncio
import re
import sys

from orchestration_agents import Stumble, World, tokens


def expect(condition, what):
    if not condition:
        raise Stumble(what)


def task(text):
    return {"msg_type": "task.assigned", "payload": {"task": text}}


async def worker_in_a_worktree(world):
    """create a worker session in a new worktree, and give it a task"""
    lead = await world.agent("lead")
    path = str(world.repository) + ".worktrees/fix-login"
    if lead.has("create_session", "worktree"):
        await lead.call("create_session", worktree={"branch": "fix-login"}, tags=["worker"])
    else:
        await lead.call("run", command=f"git worktree add -q -b fix-login {path}")
        await lead.call("create_session", name="fix-login", cwd=path, tags=["worker"])
    await lead.call("send_orchestration", target={"session": "fix-login"}, **task("write login.txt and commit it"))
    worker = await world.agent("fix-login")
    messages = (await worker.call("poll_messages", wait_ms=10_000))["messages"]
    expect(messages[0]["payload"]["task"].startswith("write login.txt"), "the task did not arrive")
    work = "git branch --show-current && echo done > login.txt && git add . && git commit -qm login"
    ran = await worker.call("run", command=work)
    expect(ran.header.startswith("exit 0 ") and ran.lines[0] == "fix-login", f"the worker's command: {ran.text}")
    await worker.call("poll_messages", acknowledge=[messages[0]["message_id"]], limit=0)
    await worker.call("report_status", status="complete", message="login.txt is committed")
    report = await lead.call("poll_messages", wait_ms=10_000)
    expect(report["messages"][0]["payload"]["status"] == "complete", "no report")
    merged = await lead.call("run", command="git merge -q fix-login && cat login.txt")
    expect(merged.lines[0] == "done", f"the merge: {merged.text}")
    await lead.call("kill_session", session="fix-login")
    if lead.has("create_session", "worktree"):
        removed = await lead.call("remove_worktree", path=path, delete_branch=True)
        expect(removed["branch_deleted"], "the branch is still there")
    else:
        await lead.call("run", command=f"git worktree remove {path} && git branch -q -d fix-login")
    expect(not (world.home / "app.worktrees/fix-login").exists(), "the worktree is still there")


async def failed_test(world):
    """run the tests in a pane, and see what failed"""
    lead = await world.agent("lead")
    script = "for n in $(seq 300); do echo test $n ok; done\nprintf 'FAILED test_login: left is '\n"
    script += "for n in $(seq 2000); do printf %s, $n; done\necho\necho 1 failed\nexit 1\n"
    (world.repository / "tests.sh").write_text(script)
    pane = (await lead.call("create_pane", background=True))["pane_id"]
    ran = await lead.call("run", pane_id=pane, command="sh tests.sh")
    expect(ran.header.startswith("exit 1 "), f"the exit code: {ran.header}")
    found = await lead.call("get_output", pane_id=pane, mode="last_command", grep="FAILED")
    expect("FAILED test_login: left is 1,2," in found.text, "grep did not find the failure")
    # The whole line, of which `run` shows the end.
    whole, before = "\n".join(ran.lines), re.search(r"before (\d+:\d+)", ran.header)
    while "FAILED" not in whole:
        expect(before, f"the header does not say what is missing: {ran.header}")
        page = await lead.call("get_output", pane_id=pane, before=before[1])
        whole, before = "\n".join(page.lines) + whole, re.search(r"before (\d+:\d+)", page.header)
    values = "".join(f"{n}," for n in range(1, 2001))
    expect(f"FAILED test_login: left is {values}\n" in whole, "the failed line is not whole")


async def prompts(world):
    """wait for a program's prompt (`>>> `, `Password: `), and answer it"""
    lead = await world.agent("lead")

    async def wait_for(pane, pattern, **more):
        waited = await lead.call("wait", pane_id=pane, pattern=pattern, timeout_ms=5000, **more)
        expect(waited["outcome"] == "matched", f"no match for `{pattern}`")
        return waited

    python = (await lead.call("create_pane", command="python3 -q", background=True))["pane_id"]
    await wait_for(python, ">>> $")
    sent = await lead.call("send_input", pane_id=python, input="print('answer', 6 * 7)", submit=True)
    answer = await wait_for(python, "answer", since=sent["cursor"])
    expect(answer["matched"] == "answer 42", f"the echo matched: {answer['matched']}")
    await wait_for(python, ">>> $", since=answer["cursor"])
    login = "printf 'Password: '; stty -echo; read p; stty echo; echo; echo \"welcome, $p\"; sleep 600"
    pane = (await lead.call("create_pane", command=login, background=True))["pane_id"]
    await wait_for(pane, "Password: $")
    sent = await lead.call("send_input", pane_id=pane, input="ada", submit=True)
    expect((await wait_for(pane, "welcome", since=sent["cursor"]))["matched"] == "welcome, ada", "no welcome")


async def log_of_a_server(world):
    """watch a dev server's log for errors, without missing any"""
    lead = await world.agent("lead")
    server = "for n in 1 2 3; do echo \"ERROR $n\"; echo fine; done; sleep 2; echo ERROR 4; sleep 1; echo ERROR 5; sleep 600"
    pane = (await lead.call("create_pane", command=server, background=True))["pane_id"]
    seen, since = [], {}
    while len(seen) < 5:
        waited = await lead.call("wait", pane_id=pane, pattern="ERROR", timeout_ms=6000, **since)
        expect(waited["outcome"] == "matched", f"only these errors were reported: {', '.join(seen)}")
        seen.append(waited["matched"])
        since = {"since": waited["cursor"]}
    expect(seen == [f"ERROR {n}" for n in range(1, 6)], f"the errors: {', '.join(seen)}")


async def three_workers(world):
    """send a task to three workers, and gather all answers"""
    lead = await world.agent("lead")
    names = ["one", "two", "three"]
    for name in names:
        await lead.call("create_session", name=name, tags=["worker"])
    workers = [await world.agent(name) for name in names]

    async def work(worker, name):
        message = (await worker.call("poll_messages", wait_ms=10_000))["messages"][0]
        answer = {"msg_type": "task.complete", "payload": {"by": name}, "reply_to": message["message_id"]}
        await worker.call("send_orchestration", target={"session": "lead"}, **answer)

    async def gather():
        wait = {"wait_ms": 20_000, "wait_for": "all"} if lead.has("send_orchestration", "wait_for") else {}
        sent = await lead.call("send_orchestration", target={"tag": "worker"}, **task("count"), **wait)
        if wait:
            return [answer["payload"]["by"] for answer in sent["answers"]]
        answers, after = [], {}
        while len(answers) < 3:
            page = await lead.call("poll_messages", wait_ms=10_000, **after)
            expect(page["messages"], f"only {len(answers)} answers came")
            answers += [message["payload"]["by"] for message in page["messages"]]
            after = {"acknowledge": [message["message_id"] for message in page["messages"]]}
        return answers

    answers, *_ = await asyncio.gather(gather(), *map(work, workers, names))
    expect(sorted(answers) == sorted(names), f"the answers: {answers}")


async def claims(world):
    """two agents claim the same file; one waits"""
    lead = await world.agent("lead")
    await lead.call("create_session", name="other")
    other = await world.agent("other")
    first = await lead.call("claim", name="src/a.rs", note="renames main")

    async def wait():
        return await other.call("claim", name="./src/a.rs", wait_ms=20_000)

    waiting = asyncio.create_task(wait())
    await asyncio.sleep(1)
    expect(not waiting.done(), "both agents hold the file, under different spellings of its path")
    await lead.call("release", name=str(world.repository / "src/a.rs"))
    second = await waiting
    expect(second["held"] and second["fence"] > first["fence"], "the file was not handed over")


async def help_for_an_orphan(world):
    """ask for help after the session that created the worker was closed, and wait for the answer"""
    lead = await world.agent("lead")
    await lead.call("set_tags", add=["orchestrator"])
    await lead.call("create_session", name="starter")
    starter = await world.agent("starter")
    await starter.call("create_session", name="worker")
    worker = await world.agent("worker")
    await lead.call("kill_session", session="starter")

    async def answer():
        page = await lead.call("poll_messages", wait_ms=10_000)
        expect(page["messages"], "the question reached nobody")
        reply = {"msg_type": "help.answer", "payload": {"say": "docs/STYLE.md"}}
        question = page["messages"][0]["message_id"]
        await lead.call("send_orchestration", target={"session": "worker"}, reply_to=question, **reply)

    asked, _ = await asyncio.gather(worker.call("request_help", context="which style?", wait_ms=20_000), answer())
    expect(asked["answer"]["payload"]["say"] == "docs/STYLE.md", "no answer")


async def crash(world):
    """a pane's program crashes: read its last output, and restart it"""
    lead = await world.agent("lead")
    (world.repository / "server.sh").write_text("echo listening\n[ -e config ] || { echo 'panic: no config'; exit 3; }\ncat\n")
    pane = (await lead.call("create_pane", command="sh server.sh", background=True))["pane_id"]
    ended = await lead.call("wait", pane_id=pane, until="exit")
    expect(ended["exit"] == {"code": 3}, f"the exit: {ended.text}")
    if "panic" not in ended.get("tail", ""):
        read = await lead.call("get_output", pane_id=pane)
        expect("panic: no config" in read.text, "the last words are lost")
    (world.repository / "config").write_text("")
    await lead.call("respawn_pane", pane_id=pane)
    ready = await lead.call("wait", pane_id=pane, pattern="^listening", **({"since": ended["cursor"]} if ended["cursor"] else {}))
    expect(ready["outcome"] == "matched", f"the new program: {ready.text}")


async def only_what_is_new(world):
    """read only new output, in ten reads, while the pane is resized and the daemon is killed"""
    lead = await world.agent("lead")
    log = "for n in $(seq 60); do echo \"line $n of the log\"; sleep 0.1; done; sleep 600"
    pane = (await lead.call("create_pane", command=log, background=True))["pane_id"]
    seen, since = [], {}
    for turn in range(10):
        await asyncio.sleep(0.8)
        if turn == 3:
            world.fugue("resize-pane", "-t", pane, "--rows", "5")
        if turn == 6:
            world.kill_daemon()
        read = await lead.call("get_output", pane_id=pane, **since)
        since = {"since": re.search(r"next (\S+)", read.header)[1]}
        seen += [line for line in read.lines if line]
    expect(seen == [f"line {n} of the log" for n in range(1, 61)], f"{len(seen)} lines were read instead of 60")


async def parallel_commands(world):
    """run five commands in parallel, and get their exit codes and output"""
    lead = await world.agent("lead")
    commands = ["echo one", "echo two; exit 3", "echo three >&2; false", "sleep 1; echo four",
                "for n in $(seq 2000); do printf %s, $n; done"]
    ran = await lead.call("run_parallel", commands=commands)
    parts = re.split(r"(?m)^== ", ran.text)[1:]
    codes = [re.search(r"(?:exit code |exit )(\d+)", part.split("\n", 1)[0])[1] for part in parts]
    expect(codes == ["0", "3", "1", "0", "0"], f"the exit codes: {codes}")
    for word, part in zip(["one", "two", "three", "four", ",2000,"], parts):
        expect(word in part.split("\n", 1)[1], f"the output of {word}")
    is_whole = "\n1,2,3," in parts[4]
    expect(is_whole or "not shown" in parts[4].split("\n", 1)[0], "the beginning of a long line is silently dropped")


ORCHESTRATIONS = [worker_in_a_worktree, failed_test, prompts, log_of_a_server, three_workers, claims, help_for_an_orphan, crash,
                  only_what_is_new, parallel_commands]


async def run(binary, orchestration):
    """The calls, the texts that were read, why it failed, and what an agent reads before its first call."""
    async with World(binary) as world:
        why = None
        try:
            async with asyncio.timeout(90):
                await orchestration(world)
        except (Stumble, asyncio.TimeoutError) as error:
            why = str(error) or "no end within 90 seconds"
        return world.calls, world.texts, why, world.first_read


def cells(calls, texts, why):
    result = "fails: " + re.sub(r"[0-9a-f]{8}-[0-9a-f-]{27}", "ID", why) if why else "ok"
    return [str(calls), str(sum(tokens(texts))), result]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fugue", action="append", required=True, metavar="BINARY")
    parser.add_argument("--only", type=int, help="number of an orchestration")
    given = parser.parse_args()
    print("| orchestration |" + " calls | tokens | result |" * len(given.fugue))
    print("|---|" + "---:|---:|---|" * len(given.fugue))
    failed, first_reads = False, []
    for number, orchestration in enumerate(ORCHESTRATIONS, 1):
        if given.only in (None, number):
            results = [asyncio.run(run(binary, orchestration)) for binary in given.fugue]
            row = [cell for calls, texts, why, _ in results for cell in cells(calls, texts, why)]
            print(f"| {number} {orchestration.__doc__} | " + " | ".join(row) + " |", flush=True)
            failed |= results[-1][2] is not None
            first_reads = [first for *_, first in results]
    counts = [str(sum(tokens(texts))) for texts in first_reads]
    print("| list of tools and instructions |" + "".join(f" | {count} | |" for count in counts))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
