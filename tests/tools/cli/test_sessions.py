"""What the commands have in common that open a guarded session."""

import datetime as dt

import click
import pytest

from tests.commands import vsac
from vsalang.agents.session import SessionOptions
from vsalang.tools.cli import options, sessions

COMMANDS = {"run": ("--agent", "agent.jsonl"), "serve": (), "mcp": ()}
GIVEN = {
    "--policy": "policy.vsa",
    "--journal": "new.jsonl",
    "--today": "2026-04-01",
    "--engine": "pydatalog",
    "--mode": "shadow",
    "--ask-timeout": "5",
}


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("option", GIVEN)
def test_journal_says_what_was_chosen(command: str, option: str) -> None:
    """Every command refuses with --resume what the journal of the session says."""
    result = vsac(command, "--resume", "old.jsonl", option, GIVEN[option], *COMMANDS[command])
    assert result.returncode == 2
    assert f"{option} cannot be given with --resume: the journal says it." in result.stderr


@pytest.mark.parametrize("command", COMMANDS)
def test_head_needs_a_journal(command: str) -> None:
    """A head is the head of a journal that goes on."""
    result = vsac(command, "spec.vsa", "--head", "a" * 64, *COMMANDS[command])
    assert result.returncode == 2
    assert "--head needs --resume." in result.stderr


@pytest.mark.parametrize("command", COMMANDS)
def test_a_session_needs_a_spec(command: str) -> None:
    """Without a journal there must be a spec."""
    result = vsac(command, "--device", "sim:restaurant", *COMMANDS[command])
    assert result.returncode == 2
    assert "Missing argument 'SPEC'" in result.stderr


def test_every_parameter_reaches_the_session() -> None:
    """What the command line says is what the session is opened with; what the command says itself counts more."""
    context = click.Context(click.Command("run"))
    context.params = {
        "policies": ("p.vsa",),
        "journal_file": "j.jsonl",
        "sync": "all",
        "head": "abc",
        "today": dt.datetime(2026, 4, 1),
        "engine": "pydatalog",
        "mode": "shadow",
        "ask_timeout": 2.5,
        "package": "com.opentable",
    }
    with context:
        chosen = sessions.chosen(mode="enforce", task=False)
    assert chosen == SessionOptions(
        policies=("p.vsa",),
        journal="j.jsonl",
        sync="all",
        head="abc",
        today=dt.date(2026, 4, 1),
        engine="pydatalog",
        mode="enforce",
        ask_timeout=dt.timedelta(seconds=2.5),
        app="com.opentable",
        task=False,
        connect=options.open_device,
        redacted=chosen.redacted,
    )
    assert chosen.redacted is not SessionOptions().redacted
