"""``vsac describe`` and what stands in its formats."""

import datetime as dt
import json

import pytest

from vsalang.language.describe import describe, to_markdown, to_text
from vsalang.language.describe.nouns import article, is_plural, plural, split_name
from vsalang.language.describe.values import date_words, duration_words, time_words
from vsalang.language.semantics import load_text
from vsalang.tools.cli.main import run

SPEC = 'spec s "Say yes"\nallow answer(text = "yes").\ndone when answer earlier.\n'


@pytest.fixture
def spec(tmp_path):
    path = tmp_path / "s.vsa"
    path.write_text(SPEC, encoding="utf-8")
    return path


def test_text(spec, capsys):
    assert run(["describe", str(spec)]) == 0
    out = capsys.readouterr().out
    assert 'The agent may answer the user once, if the answer is "yes".' in out
    assert 'The task may be finished when the agent has done "answer".' in out
    assert '"shell" (run a shell command on the device)' in out


def test_json_names_rules_and_places(spec, capsys):
    assert run(["describe", str(spec), "--format", "json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert (data["version"], data["module"], data["kind"], data["policies"]) == (1, "s", "spec", [])
    (entry,) = data["sections"][0]["entries"]
    assert (entry["rule"], entry["kind"], entry["file"]) == ("s:1", "allow", str(spec))
    assert entry["conditions"] == ['the answer is "yes"']
    assert entry["span"]["start"] == {"line": 2, "column": 1, "offset": SPEC.index("allow")}


def test_policies_are_described_too(spec, tmp_path, capsys):
    policy = tmp_path / "p.vsa"
    policy.write_text('policy p "Quiet"\ndeny "no" when answer(text contains "x").\n', encoding="utf-8")
    assert run(["describe", str(spec), "--policy", str(policy)]) == 0
    out = capsys.readouterr().out
    assert 'What the policy "p" adds (Quiet)' in out
    assert 'It is forbidden, with the message "no", when the agent wants to answer the user' in out


def test_errors_are_no_description(tmp_path, capsys):
    path = tmp_path / "bad.vsa"
    path.write_text('spec s "x"\nallow Nothing.\n', encoding="utf-8")
    assert run(["describe", str(path)]) == 1
    found = capsys.readouterr()
    assert found.out == "" and "Nothing" in found.err
    assert run(["describe", str(tmp_path / "absent.vsa")]) == 2


def test_shared_licences_are_said():
    text = (
        'spec s "x"\nallow either answer(text = "a").\nallow either answer(text = "b").\n'
        'allow 3 shell(command ~= "ls").\nallow each install.\ndone when answer earlier.\n'
    )
    said = " ".join(to_text(describe(load_text(text).program)).split())
    assert '2. Instead of number 1, the agent may answer the user once, if the answer is "b".' in said
    assert "up to 3 times, but never the same one twice, if" in said
    assert "any number of times, but never the same one twice." in said
    assert 'For "install", the agent is free to choose the package' in said


def test_what_never_ends_is_said():
    said = to_text(describe(load_text('spec s "x"\nallow answer.\n').program))
    assert "No rule says when" in said


def test_texts_of_others_stay_texts():
    evil = 'spec s "x"\nallow answer(text = "a\\u001b[31m\\u202e[l](http://e) <b>`*").\ndone when answer earlier.\n'
    description = describe(load_text(evil).program)
    assert "\x1b" not in to_text(description) and "\u202e" not in to_text(description)
    marked = to_markdown(description)
    assert "[l](" not in marked and "<b>" not in marked.replace("\\<b\\>", "")


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (dt.time(0), "midnight (00:00)"),
        (dt.time(12), "noon (12:00)"),
        (dt.time(0, 5), "12:05 am (00:05)"),
        (dt.time(12, 30), "12:30 pm (12:30)"),
        (dt.time(19), "7 pm (19:00)"),
        (dt.time(19, 0, 30), "7:00:30 pm (19:00:30)"),
    ],
)
def test_times(value, said):
    assert time_words(value) == said


def test_dates_and_durations():
    assert date_words(dt.date(2026, 4, 1)) == "Wednesday 1 April 2026"
    assert duration_words(dt.timedelta(minutes=90)) == "90 minutes"
    assert duration_words(dt.timedelta(days=1)) == "1 day"
    assert duration_words(dt.timedelta(0)) == "0 seconds"
    assert duration_words(dt.timedelta(seconds=-61)) == "minus 61 seconds"
    assert duration_words(dt.timedelta(seconds=0.6)) == "0.6 seconds"


def test_nouns():
    assert [split_name(n) for n in ("ReserveResult", "push_file", "URLBar", "B2")] == [
        "reserve result",
        "push file",
        "URL bar",
        "b 2",
    ]
    assert [plural(n) for n in ("slot", "city", "list of tasks", "box", "day")] == [
        "slots",
        "cities",
        "lists of tasks",
        "boxes",
        "days",
    ]
    assert [is_plural(n) for n in ("slots", "slot", "app that asks", "apps that ask", "list of tasks")] == [
        True,
        False,
        False,
        True,
        False,
    ]
    assert [article(n) for n in ("slot", "answer", "user", "hour", '"of"')] == [
        "a slot",
        "an answer",
        "a user",
        "an hour",
        'an "of"',
    ]
