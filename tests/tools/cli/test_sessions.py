"""What the commands have in common that open a guarded session."""

import re

import pytest

from tests.commands import vsac
from vsalang.agents.session import SessionOptions
from vsalang.tools.cli import phones, sessions

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
    assert f"{option} and --resume exclude each other: the journal says it." in result.stderr


@pytest.mark.parametrize("command", COMMANDS)
def test_head_needs_a_journal(command: str) -> None:
    """A head is the head of a journal that goes on."""
    result = vsac(command, "spec.vsa", "--device", "sim:restaurant", "--head", "a" * 64, *COMMANDS[command])
    assert result.returncode == 2
    assert "--head needs --resume." in result.stderr


@pytest.mark.parametrize("command", COMMANDS)
def test_a_session_needs_a_spec(command: str) -> None:
    """Without a journal there must be a spec."""
    result = vsac(command, "--device", "sim:restaurant", *COMMANDS[command])
    assert result.returncode == 2
    assert re.search(r"Give SPEC or (--instruction or )?--resume\.", result.stderr)


def test_a_command_opens_the_phone_and_replaces_secrets() -> None:
    """What the command line says is what the session is opened with; what the command says itself counts more."""
    chosen = sessions.begun(SessionOptions(sync="all", mode="shadow"), mode="enforce", task=False)
    assert chosen == SessionOptions(
        sync="all",
        mode="enforce",
        task=False,
        connect=phones.open_device,
        redacted=sessions.redact_output,
    )
