"""``vsac run --instruction``: the charter is written, shown, agreed to by a person, and then guarded."""

import contextlib
import json
import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests import processes
from tests.commands import vsac, vsac_and_programs
from tests.models.encode.chat_server import Chat, Reply, fails, says, serve
from tests.models.risk.judges import opinion
from tests.terminals import code, spawn, without_terminal
from vsalang.guard.journal.timeline import charter_text

pytest.importorskip("openai")
pexpect = pytest.importorskip("pexpect")
pytestmark = pytest.mark.slow
ROOT = processes.ROOT
PHONE = f"sim:{ROOT}/docs/examples/splitly"
SAID = "Pay Ann Lee the 20 euros that I owe her."
HARMLESS = 'JUDGEMENT: {"harmful": false, "categories": [], "reason": "A debt is paid."}'
RULES = """allow Pay(payee ~= "Ann Lee", amount = 20).
done when Pay earlier.
"""
READ = json.dumps(
    {"findings": [], "answers": [{"number": number, "meant": "open"} for number in range(1, 11)]}
)
MAIN = ["-m", "vsalang.tools.cli.main"]


def charter(rules: str = RULES, judgement: str = HARMLESS) -> str:
    return f'{judgement}\n\n```vsa\nspec x "y"\nimport std.effects\n\n{rules}```\n'


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("OPENAI_BASE_URL", "OPENAI_MODEL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-none")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.chdir(tmp_path)
    lines = [{"action": "tap", "desc": "Settle with Bob Ray"}, {"action": "tap", "text": "PAY"}]
    (tmp_path / "agent.jsonl").write_text("".join(json.dumps(each) + "\n" for each in lines))
    (tmp_path / "answers").mkdir()
    return tmp_path


def answer(folder: Path, *texts: str) -> None:
    for number, text in enumerate(texts, 1):
        (folder / "answers" / f"{number:06}.answer.txt").write_text(text, encoding="utf-8")


def words(*more: str, said: str = SAID) -> list[str]:
    return ["run", "--instruction", said, "--device", PHONE, "--open", "com.example.splitly", "--agent", "agent.jsonl",
            "--journal", "j.jsonl", *more]  # fmt: skip


FILES = ("--endpoint-dir", "answers", "--timeout", "2", "--today", "2026-04-01")
"""A request says when it is asked, to the minute: with a fixed day, a second run asks the same."""
UNREAD = (*FILES, "--no-review")
"""Nobody reads the charter but the person: reading takes most of the time."""
Says = Callable[[socket.socket, dict[str, Any]], object]


def says_word(word: str, mark: str = "") -> Says:
    def say(end: socket.socket, said: dict[str, Any]) -> object:
        return end.sendall(json.dumps({"hash": mark or said["hash"], "answer": word}).encode() + b"\n")

    return say


def asked(
    folder: Path, arguments: list[str], answering: Says, *, command: Callable[..., Any] = vsac
) -> tuple["subprocess.CompletedProcess[str]", list[dict[str, Any]]]:
    """A command, with a program that answers, and all that it was asked."""
    ours, theirs = socket.socketpair()
    questions: list[dict[str, Any]] = []

    def answer() -> None:
        with contextlib.suppress(OSError):
            for line in ours.makefile():
                said = json.loads(line)
                if said["kind"] == "question":
                    questions.append(said)
                    answering(ours, said)

    threading.Thread(target=answer, daemon=True).start()
    number = theirs.detach()
    before = arguments.index("--") if "--" in arguments else len(arguments)
    told = [*arguments[:before], "--on-confirm", f"fd:{number}", *arguments[before:]]
    try:
        return command(*told, cwd=folder), questions
    finally:
        ours.close()


def records(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "j.jsonl").read_text().splitlines()]


def nothing_started(folder: Path) -> bool:
    return not (folder / "j.jsonl").exists()


# ---------------------------------------------------------------- what is agreed to


def test_one_command_writes_asks_and_guards(folder: Path) -> None:
    answer(folder, charter(), READ)
    run, questions = asked(folder, words(*FILES), says_word("yes"))
    first = questions[0]
    assert "verdict" not in first and first["charter"]["instruction"] == SAID
    assert 'the payee is similar to "Ann Lee"' in first["message"] and "the amount is 20" in first["message"]
    assert first["message"].endswith("May the agent work under this charter?")
    assert '"send"' in first["message"].partition("You are asked before")[2]
    assert '"order"' in first["message"].partition("Blocked:")[2]
    header, *rest = records(folder)
    assert header["instruction"] == SAID and "std/policies/unlicensed.vsa" in str(header["policies"])
    about = header["charter"]
    assert about["model"]["endpoint"] == "answers" and about["judgement"]["harmful"] is False
    assert about["agreed"]["question"] == first["hash"] and about["agreed"]["by"].startswith(
        "the program on fd "
    )
    paid = [each for each in rest if each["kind"] == "propose" and "PAY" in str(each["proposal"])]
    assert paid[-1]["verdict"]["level"] == "block" and "Pay" in str(paid[-1]["verdict"]["actions"])
    assert run.returncode == 1  # the task was not completed
    replayed = vsac("journal", "replay", "j.jsonl", cwd=folder)
    assert replayed.returncode == 0 and "0 flipped" in replayed.stdout
    assert "Written by vsac encode" in str(header["sources"])


@pytest.mark.parametrize(
    ("answering", "why"),
    [
        (says_word("no"), "the answer was no"),
        (says_word("maybe"), "the answer was no"),
        (says_word("yes", "0" * 64), "the answer was no"),
        (lambda end, said: end.sendall(b'{"answer": "yes"}\n'), "the answer was no"),
        (lambda end, said: end.sendall(b"x" * 2000), "the answer was no"),
        (lambda end, said: None, "nobody answered in time"),
        (lambda end, said: end.shutdown(socket.SHUT_RDWR), "closed its end"),
    ],
)
def test_without_a_yes_nothing_starts(folder: Path, answering: Says, why: str) -> None:
    answer(folder, charter())
    run, questions = asked(folder, words(*UNREAD, "--ask-timeout", "1"), answering)
    assert run.returncode in (1, 2) and why in run.stderr and nothing_started(folder)
    assert len(questions) == 1 and not run.stdout


def test_a_terminal_asks_for_a_code(folder: Path) -> None:
    answer(folder, charter())
    command = [*MAIN, *words(*UNREAD, "--on-confirm", "no")]
    terminal = spawn(command, cwd=folder, env={**os.environ, "PYTHONPATH": str(ROOT)})
    typed = code(terminal)
    assert (
        "the amount is 20" in terminal.before and "May the agent work under this charter?" in terminal.before
    )
    terminal.sendline(typed)
    terminal.expect("In force: program charter")
    terminal.expect(pexpect.EOF)
    terminal.close()
    assert records(folder)[0]["charter"]["agreed"] == {"by": "the user on the terminal"}


@pytest.mark.parametrize("typed", ["yes", ""])
def test_a_word_is_not_a_code(folder: Path, typed: str) -> None:
    answer(folder, charter())
    terminal = spawn([*MAIN, *words(*UNREAD)], cwd=folder, env={**os.environ, "PYTHONPATH": str(ROOT)})
    code(terminal)
    terminal.sendline(typed)
    terminal.expect("Nothing was started: the answer was no")
    terminal.expect(pexpect.EOF)
    terminal.close()
    assert terminal.exitstatus == 1 and nothing_started(folder)


@pytest.mark.parametrize(
    "way", [(), ("--on-confirm", "no"), ("--on-confirm", "stdin"), ("--on-confirm", "ask")]
)
def test_without_anybody_there_no_model_is_asked(folder: Path, way: tuple[str, ...]) -> None:
    run = without_terminal([*MAIN, *words(*UNREAD, *way)], cwd=folder, input="yes\n" * 9)
    assert run.returncode == 2 and "nobody can agree" in run.stderr and nothing_started(folder)
    assert not list((folder / "answers").iterdir())


def test_there_is_no_yes(folder: Path) -> None:
    run = vsac(*words(*UNREAD, "--yes"), cwd=folder)
    assert run.returncode == 2 and "No such option '--yes'" in run.stderr


# ---------------------------------------------------------------- what the model says


def test_what_cannot_be_written_safely_is_said(folder: Path) -> None:
    answer(folder, "CANNOT BE WRITTEN SAFELY: say to whom, and how much.")
    run, questions = asked(folder, words(*UNREAD, said="Fix my finances."), says_word("yes"))
    assert run.returncode == 1 and not questions and nothing_started(folder)
    assert "This cannot be written safely: say to whom, and how much." in run.stderr
    encoded = vsac("encode", "Fix my finances.", "--app", "std.effects", "-o", "charter.vsa", *UNREAD, "--no-memory",
                   cwd=folder)  # fmt: skip
    assert encoded.returncode == 1 and "This cannot be written safely: say to whom" in encoded.stdout
    assert not (folder / "charter.vsa").exists()


def test_a_refusal_beside_a_spec_is_not_understood(folder: Path) -> None:
    both = f"CANNOT BE WRITTEN SAFELY: no.\n{charter()}"
    answer(folder, both, charter())
    run, questions = asked(folder, words(*UNREAD), says_word("no"))
    assert "1 error" in run.stderr or "round 2 of 4" in run.stderr
    assert "the amount is 20" in questions[0]["message"]


HARMFUL = 'JUDGEMENT: {"harmful": true, "categories": ["malicious"], "reason": "It robs {Ann}."}'


@pytest.mark.parametrize(
    ("judgement", "words_of_it"),
    [
        (HARMFUL, "may be harmful (Malicious Use): It robs {Ann}."),
        ("", "Nobody judged whether the instruction is harmful: the answer holds no judgement."),
        ('JUDGEMENT: {"harmful": "no", "categories": [], "reason": "r"}', "wrong type"),
    ],
)
def test_a_judgement_only_raises(folder: Path, judgement: str, words_of_it: str) -> None:
    text = charter(judgement=judgement)
    answer(folder, *[text] * (1 if judgement == HARMFUL else 4))
    _, questions = asked(folder, words(*UNREAD, "--charter", "kept.vsa"), says_word("yes"))
    message = questions[0]["message"]
    assert words_of_it in message and "You are asked before anything that has an effect" in message
    assert 'confirm "' in (folder / "kept.vsa").read_text()
    test = 'test "it is asked" {\n  attempt Pay(payee = "Ann Lee", amount = 20) => confirm because "INSTRUCTION".\n}\n'
    (folder / "tested.vsa").write_text((folder / "kept.vsa").read_text() + test)
    assert vsac("test", "tested.vsa", cwd=folder).returncode == 0


def test_a_harmless_one_adds_nothing(folder: Path) -> None:
    answer(folder, charter())
    asked(folder, words(*UNREAD, "--charter", "kept.vsa"), says_word("yes"))
    assert "confirm" not in (folder / "kept.vsa").read_text()


@pytest.mark.parametrize(
    "text",
    [
        "I will not.",
        charter("allow Pay(payee ~= .\n"),
        charter("import evil\nallow Pay.\ndone.\n"),
        charter().replace("spec x", "policy x"),
        charter() + charter("allow each Pay.\ndone.\n"),
        "{" * 100_000,
        "\u202e" + charter().replace("Ann", "A\u200bnn"),
    ],
)
def test_what_is_not_a_charter_starts_nothing(folder: Path, text: str) -> None:
    answer(folder, *[text] * 4)
    run, questions = asked(folder, words(*UNREAD), says_word("yes"))
    assert run.returncode == 1 and not questions and nothing_started(folder)
    assert "no charter was written: the last of 4 rounds has" in run.stderr


def test_a_model_that_does_not_answer(folder: Path) -> None:
    run, questions = asked(folder, words(*FILES, "--timeout", "0.3"), says_word("yes"))
    assert run.returncode == 2 and not questions and nothing_started(folder)


@pytest.fixture
def chat() -> Iterator[Callable[..., Chat]]:
    stack: list[Any] = []

    def started(*replies: Reply) -> Chat:
        context = serve(*replies)
        stack.append(context)
        return context.__enter__()

    yield started
    for context in stack:
        context.__exit__(None, None, None)


def test_over_a_server(folder: Path, chat: Callable[..., Chat]) -> None:
    server = chat(says(charter()), says(READ))
    run, questions = asked(folder, words("--base-url", server.url, "--model", "tiny"), says_word("yes"))
    assert questions[0]["charter"]["model"]["answered"] == "canned-1"
    assert len(server.requests) == 2 and "# Charters" in server.messages(1)[0]["content"]
    assert f"asking tiny at {server.url}" in run.stderr


@pytest.mark.parametrize(
    "reply", [fails(500), fails(401), Reply(b"<html>"), Reply(b"{}"), says(""), says(None)]
)
def test_a_server_that_answers_badly(folder: Path, chat: Callable[..., Chat], reply: Reply) -> None:
    server = chat(reply)
    run, questions = asked(
        folder, words("--base-url", server.url, "--model", "tiny", "--retries", "0"), says_word("yes")
    )
    assert run.returncode in (1, 2) and not questions and nothing_started(folder)
    assert "sk-none" not in run.stderr + run.stdout


def test_a_slow_server(folder: Path, chat: Callable[..., Chat]) -> None:
    reply = says(charter())
    reply.hold = threading.Event()
    server = chat(reply)
    begun = time.monotonic()
    run, questions = asked(
        folder,
        words("--base-url", server.url, "--model", "tiny", "--timeout", "0.5", "--retries", "0"),
        says_word("yes"),
    )
    assert run.returncode == 2 and not questions and time.monotonic() - begun < 20


# ---------------------------------------------------------------- options


def test_samples_permit_what_all_permit(folder: Path) -> None:
    wide = charter("allow Pay(amount <= 20).\nallow Delete.\ndone when Pay earlier.\n")
    answer(folder, charter(), wide)
    run, questions = asked(
        folder, words(*FILES, "--samples", "2", "--no-review", "--charter", "kept.vsa"), says_word("yes")
    )
    assert "2 samples were written, and they differ" in questions[0]["message"], run.stderr
    tests = """test "joined" {
  attempt Pay(payee = "Bob", amount = 15) => confirm.
  refuse.
  attempt Pay(payee = "Bob", amount = 30) => block.
  attempt Delete => confirm.
  refuse.
  attempt Pay(payee = "Ann Lee", amount = 20).
  attempt Pay(payee = "Ann Lee", amount = 20) => block because licence.
}
"""
    (folder / "tested.vsa").write_text((folder / "kept.vsa").read_text() + tests)
    tested = vsac("test", "tested.vsa", cwd=folder)
    assert tested.returncode == 0, tested.stdout


def test_a_program_is_guarded(folder: Path) -> None:
    pytest.importorskip("uiautomator2")
    answer(folder, charter())
    options = words(*UNREAD)
    at = options.index("--agent")
    options = ["guard", *options[1:at], *options[at + 2 :]]
    run, questions = asked(
        folder,
        [*options, "--", sys.executable, "-c", "print('worked')"],
        says_word("yes"),
        command=vsac_and_programs,
    )
    assert "worked" in run.stdout and len(questions) == 1 and records(folder)[0]["charter"]
    (folder / "j.jsonl").unlink()
    run, _ = asked(
        folder, ["run", *options[1:], "--", sys.executable, "-c", "print('worked')"], says_word("no"),
        command=vsac_and_programs,
    )  # fmt: skip
    assert "worked" not in run.stdout and nothing_started(folder)


def test_json(folder: Path) -> None:
    answer(folder, charter())
    run, _ = asked(folder, words(*UNREAD, "--json"), says_word("yes"))
    first = json.loads(run.stdout.splitlines()[0])
    assert (
        first["kind"] == "charter" and first["judgement"]["harmful"] is False and "allow Pay" in first["text"]
    )
    refused, _ = asked(folder, words(*UNREAD, "--json"), says_word("no"))
    assert [json.loads(line).get("agreed") for line in refused.stdout.splitlines()] == [None, False]


@pytest.mark.parametrize(
    ("more", "what"),
    [
        (["--samples", "2", "--resume", "j.jsonl"], "exclude"),
        (["c.vsa", "--samples", "2"], "--samples and SPEC exclude each other"),
        (["c.vsa", "--charter", "d.vsa"], "--charter and SPEC exclude each other"),
        (["c.vsa", "--endpoint-dir", "answers"], "--endpoint-dir and SPEC exclude each other"),
        (["--charter", "c.txt"], "not the name of a spec's file"),
        (["--charter", "agent.jsonl"], "not the name of a spec's file"),
        (["--remember"], "--remember needs SPEC or --charter"),
        (["--judge-model", "x", "--judge-at", "texts", "--judge-when", "after"], "exclude each other"),
    ],
)
def test_what_does_not_go_together(folder: Path, more: list[str], what: str) -> None:
    run, questions = asked(folder, words(*FILES, *more), says_word("yes"))
    assert run.returncode == 2 and what in run.stderr and not questions


def test_a_file_is_not_replaced(folder: Path) -> None:
    (folder / "c.vsa").write_text("mine")
    run, questions = asked(folder, words(*UNREAD, "--charter", "c.vsa"), says_word("yes"))
    assert run.returncode == 2 and "c.vsa exists already" in run.stderr and not questions
    assert (folder / "c.vsa").read_text() == "mine"


def test_the_policies_of_the_owner_hold(folder: Path) -> None:
    (folder / "mine.vsa").write_text(
        'policy mine "Mine"\nimport std.effects\n@id("M") deny "never more than 5" when Pay(amount > 5).\n'
    )
    answer(folder, charter())
    run, questions = asked(folder, words(*UNREAD, "--policy", "mine.vsa"), says_word("no"))
    assert "These policies hold, too: mine" in questions[0]["message"], run.stderr


@pytest.mark.parametrize(("at", "asked_of"), [((), 0), (("--judge-at", "steps"), 2)])
def test_a_judge_is_asked_where_texts_leave(
    folder: Path, chat: Callable[..., Chat], at: tuple[str, ...], asked_of: int
) -> None:
    server = chat(opinion())
    answer(folder, charter())
    judge = ("--judge-model", "tiny", "--judge-url", server.url)
    run, _ = asked(folder, words(*UNREAD, *judge, *at), says_word("yes"))
    assert len(server.requests) == asked_of, run.stderr  # a row and a payment carry no text
    assert "std/policies/judge.vsa" in str(records(folder)[0]["policies"])
    if asked_of:
        assert "Pay Ann Lee" in server.messages(1)[-1]["content"]


def test_the_journal_says_who_agreed(folder: Path) -> None:
    answer(folder, charter(judgement=HARMFUL))
    asked(folder, words(*UNREAD), says_word("yes"))
    shown = vsac("journal", "show", "j.jsonl", cwd=folder).stdout
    who = "A charter by a model (asked for as gpt-4o)"  # a text in a file does not say who wrote it
    assert f"{who}; the instruction was judged harmful (malicious); the program on fd " in " ".join(
        shown.split()
    )
    page = vsac("journal", "show", "j.jsonl", "--html", "j.html", cwd=folder)
    assert page.returncode == 0 and "judged harmful (malicious)" in (folder / "j.html").read_text()
    lines = [json.loads(line) for line in (folder / "j.jsonl").read_text().splitlines()]
    for odd in (
        1,
        [],
        {"model": 1, "judgement": [], "agreed": None},
        {"judgement": {"harmful": [], "categories": 3}},
    ):
        assert "\n" not in charter_text({**lines[0], "charter": odd})


@pytest.mark.parametrize("app", ["std.effects", f"{ROOT}/stdlib/std/effects.vsa"])
def test_encode_asks_by_the_judgement_too(folder: Path, app: str) -> None:
    answer(folder, charter(judgement=HARMFUL))
    command = ("encode", SAID, "--app", app, "-o", "c.vsa", *UNREAD, "--no-memory")
    run = vsac(*command, "--json", cwd=folder)
    said = json.loads(run.stdout)
    assert said["judgement"] == {
        "harmful": True, "categories": ["malicious"], "reason": "It robs {Ann}.", "missing": None
    }  # fmt: skip
    assert said["refused"] is None and "Effect" in (folder / "c.vsa").read_text()
    asked_there = vsac(*command, "--force", "--samples", "2", "--interactive", cwd=folder)
    assert asked_there.returncode == 2
