"""Secrets that are replaced: what a session writes and prints holds none of the secrets that were planted."""

import html
import io
import json
import time
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.models.encode.chat_server import serve
from tests.models.risk.judges import opinion
from tests.models.risk.traces import DONE, dump, tap, trace
from tests.screen.secrets.planted import PLANTED, leaks
from vsalang.base.config.read import SECRETS
from vsalang.guard.journal import Journal, JournalError, read_session
from vsalang.guard.journal.recorded_session import refuse_redacted
from vsalang.guard.journal.screens_json import screen_json
from vsalang.guard.world.fact_screen import FactScreen
from vsalang.program.action import Action
from vsalang.program.text import quote, safe
from vsalang.screen.screen import TreeScreen
from vsalang.screen.secrets import KINDS, Lexicon, RedactedStream, Redactor
from vsalang.screen.tree import load_dump

Vsac = Callable[..., CompletedProcess[str]]


def run(vsac: Vsac, project: Path, *more: str) -> str:
    done = vsac(
        *("run", "notes.vsa", "--device", "sim:bank", "--agent", "notes.agent.jsonl", "--journal", "j.jsonl"),
        *("--on-confirm", "stdin", *more),
        input="y\ny\ny\n",
        cwd=project,
    )
    return str(done.stdout) + str(done.stderr)


def test_without_redaction_the_secrets_are_there(vsac: Vsac, project: Path) -> None:
    printed = run(vsac, project)
    assert leaks((project / "j.jsonl").read_text(encoding="utf-8")) == list(PLANTED)
    assert "hunter2!" in printed


@pytest.mark.parametrize("format", ["text", "json"])
def test_no_planted_secret_is_written_or_printed(vsac: Vsac, project: Path, format: str) -> None:
    printed = run(vsac, project, "--redact", "--format", format)
    assert "«card 1»" in printed
    for command in (
        ("show", "j.jsonl"),
        ("show", "j.jsonl", "--format", "json"),
        ("show", "j.jsonl", "--format", "html", "-o", "page.html"),
        ("replay", "j.jsonl"),
        ("certify", "j.jsonl"),
    ):
        done = vsac(*command, cwd=project)
        printed += str(done.stdout) + str(done.stderr)
    written = [
        path.read_text(encoding="utf-8")
        for path in project.rglob("*")
        if path.is_file() and path.name not in ("notes.vsa", "notes.agent.jsonl", "names.txt", "main.xml")
    ]
    assert len(written) >= 3
    assert [leaks(text) for text in (printed, *written)] == [[]] * (1 + len(written))


def test_a_judge_is_shown_no_planted_secret(vsac: Vsac, project: Path) -> None:
    judge = Path(__file__).resolve().parents[3] / "stdlib/std/policies/judge.vsa"
    with serve(opinion("Privacy Violations", reason="the answer has 4111 1111 1111 1111")) as chat:
        asked = ("--policy", str(judge), "--judge-model", "m", "--judge-url", chat.url)
        printed = run(vsac, project, "--redact", *asked, "--judge-cache", "kept", "--judge-mode", "window")
        sent = json.dumps(chat.requests, ensure_ascii=False)
        assert "hunter2" in run(vsac, project, *asked, "--journal", "k.jsonl") and len(chat.requests) >= 2
        refused = vsac(
            *("run", "notes.vsa", "--device", "sim:bank", "--agent", "notes.agent.jsonl", "--redact", *asked),
            "--judge-pictures",
            cwd=project,
        )
    assert refused.returncode == 2 and "pictures would show them" in refused.stderr
    assert "«card 1»" in sent and "«credential 1»" in sent
    kept = "".join(path.read_text(encoding="utf-8") for path in (project / "kept").rglob("*.json"))
    assert [leaks(text) for text in (printed, sent)] == [[], []]
    assert leaks(kept) in ([], ["4111 1111"])  # what the judge itself says


@pytest.mark.parametrize("more", [("-o", "out"), ("notes.vsa", "-o", "out"), ("notes.vsa",)])
@pytest.mark.parametrize("format", ["text", "json"])
def test_recorded_walks_are_written_without_secrets(
    vsac: Vsac, project: Path, more: tuple[str, ...], format: str
) -> None:
    texts = ("Your code is 482913", "Alder 5555 5555 5555 4444", "+49 171 1234567")
    typed = {
        "name": "input_text",
        "parameters": {"x": 540, "y": 50, "value": "sk-proj-Abc123Def456Ghi789Jkl012"},
    }
    steps = [(typed, dump(*texts), {}), (tap(1), dump("482913"), {}), (DONE, dump("x"), {})]
    trace(project / "walks" / "safe_x" / "01", steps, query="Write to alice@example.com")
    done = vsac("record", *more, "--walk", "walks", "--redact", "--format", format, cwd=project)
    assert done.returncode == 0, done.stderr
    written = "".join(path.read_text(encoding="utf-8") for path in (project / "out").rglob("*.jsonl"))
    assert leaks(done.stdout + done.stderr + written) == []
    assert bool(written) == ("out" in more) and ("«code 1»" in written) == bool(written)
    assert "«email 1»" in done.stdout


def test_a_redacted_journal_is_not_judged_again(vsac: Vsac, project: Path) -> None:
    run(vsac, project, "--redact")
    done = vsac("journal", "replay", "j.jsonl", cwd=project)
    assert done.returncode == 2
    assert "its secrets were replaced" in done.stderr
    with pytest.raises(JournalError, match="neither be judged again nor be continued"):
        refuse_redacted(read_session(project / "j.jsonl"))
    resumed = vsac("run", "--resume", "j.jsonl", "--agent", "notes.agent.jsonl", cwd=project)
    assert resumed.returncode == 2
    assert not leaks(resumed.stdout + resumed.stderr)


def test_the_configuration_may_ask_for_it(vsac: Vsac, project: Path) -> None:
    (project / "vsac.toml").write_text('[secrets]\nredact = ["card"]\n', encoding="utf-8")
    run(vsac, project)
    text = (project / "j.jsonl").read_text(encoding="utf-8")
    assert "4111 1111" not in text and "alice@example.com" in text
    assert json.loads(text.splitlines()[0])["redacted"] == ["card"]


@pytest.mark.parametrize("said", ['"cards"', '["cards"]', "1"])
def test_another_value_of_redact_is_an_error(vsac: Vsac, project: Path, said: str) -> None:
    (project / "vsac.toml").write_text(f"[secrets]\nredact = {said}\n", encoding="utf-8")
    done = vsac("check", "notes.vsa", cwd=project)
    assert done.returncode == 2
    assert "vsac.toml:2" in done.stderr and "redact" in done.stderr


def test_the_configuration_knows_every_kind() -> None:
    assert SECRETS == KINDS


def test_a_lexicon_that_cannot_be_read(vsac: Vsac, project: Path) -> None:
    (project / "names.txt").write_bytes(b"Alder\n\xff\n")
    done = vsac("run", "notes.vsa", "--device", "sim:bank", "--agent", "notes.agent.jsonl", cwd=project)
    assert done.returncode == 2
    assert "names.txt, line 2: this is not UTF-8 text" in done.stderr


def test_equal_secrets_stay_equal() -> None:
    redactor = Redactor()
    assert redactor.text("4111 1111 1111 1111 4111-1111-1111-1111") == "«card 1» «card 1»"
    assert redactor.text("a@b.co c@d.co A@B.CO") == "«email 1» «email 2» «email 1»"


def test_a_code_is_learnt_where_it_is_shown() -> None:
    redactor = Redactor()
    assert redactor.text("482913") == "482913"
    node = {"node": 1, "text": "Your code is 482913"}
    redactor.learn_screen(FactScreen({"Node": (node,)}))
    assert redactor.text("so 482913 it is") == "so «code 1» it is"


def test_a_code_is_learnt_without_an_area() -> None:
    nodes = '<node text="Your code is 482913" bounds="[0,0][0,0]"/>'
    screen = TreeScreen(load_dump(f'<hierarchy><node bounds="[0,0][9,9]">{nodes}</node></hierarchy>'))
    redactor = Redactor()
    redactor.learn_screen(screen)
    assert redactor.text("so 482913 it is") == "so «code 1» it is"
    written = json.dumps(redactor.record({"kind": "screen", **screen_json(screen).body}), ensure_ascii=False)
    assert "482913" not in written and "«code 1»" in written


def test_a_password_is_learnt_where_it_is_typed() -> None:
    redactor = Redactor()
    screen = FactScreen({"Node": ({"node": 1, "id": "user_password", "editable": True},)})
    redactor.learn_typed(Action("input_text", {"id": "user_password", "value": "abcdef"}), screen)
    assert redactor.text("abcdef, abcdefg") == "«credential 1», abcdefg"


def test_a_password_is_learnt_where_it_may_be_typed() -> None:
    """The field that hides what is typed has no box that can be right: it may lie where the other one is."""
    fields = (
        '<node class="EditText" resource-id="a:id/note" bounds="[0,10][90,30]"/>',
        '<node scrollable="true" bounds="[0,40][90,50]">'
        '<node class="EditText" focused="false" password="true" bounds="[0,0][0,0]"/></node>',
    )
    screen = TreeScreen(
        load_dump(f'<hierarchy><node bounds="[0,0][90,90]">{"".join(fields)}</node></hierarchy>')
    )
    redactor = Redactor()
    redactor.learn_typed(Action("input_text", {"id": "note", "value": "abcdef"}), screen)
    assert redactor.text("abcdef") == "abcdef"
    redactor.learn_typed(Action("input_text", {"x": 20, "y": 45, "value": "abcdef"}), screen)
    assert redactor.text("abcdef") == "«credential 1»"


@pytest.mark.parametrize("password", ['pa"ss\\w0rd1', "tr0ub&4dor<3>", "p\tw0\nrd1", "geh\u200beim9"])
@pytest.mark.parametrize(
    "printed",
    [safe, quote, lambda text: quote(safe(text)), html.escape],
    ids=["quoted", "JSON", "both", "page"],
)
def test_a_password_is_replaced_however_it_is_printed(password: str, printed: Callable[[str], str]) -> None:
    redactor = Redactor()
    redactor.learn("credential", password)
    text = redactor.text(f"it is {printed(password)}.")
    assert "«credential 1»" in text and not any(part in text for part in ("ss", "w0", "4dor", "geh"))


def test_a_card_with_hidden_characters_is_replaced_in_messages() -> None:
    redactor = Redactor()
    assert redactor.text("4111\u200b1111\u200b1111\u200b1111") == "«card 1»"
    assert redactor.text(safe("to 4111\u200b1111\u200b1111\u200b1111")) == '"to «card 1»"'


def test_a_secret_that_was_cut_is_replaced() -> None:
    redactor = Redactor()
    redactor.text("DE89 3704 0044 0532 0130 00")
    assert redactor.text("to DE89 3704…") == "to «iban 1»…"


def test_a_text_of_secrets_is_replaced_whole() -> None:
    text = Redactor().text("".join(f"+49 171 {number}\n" for number in range(1_000_000, 1_000_500)))
    assert text.count("«phone ") == 500 and "171" not in text.replace("«phone 171»", "")


def test_a_long_secret_that_was_cut_is_replaced() -> None:
    redactor = Redactor()
    token = ".".join(f"eyJ{letter * 400}" for letter in "abc")
    redactor.text(token)
    assert redactor.text(f"it is {token[:600]}…") == "it is «key 1»…"
    assert redactor.text(f"cut…, {token[:9]}… {token[:3]}x…") == f"cut…, «key 1»… {token[:3]}x…"


def test_a_cut_secret_of_a_screen_is_replaced() -> None:
    redactor = Redactor()
    redactor.learn_screen(FactScreen({"Node": ({"node": 1, "desc": "DE89 3704 0044 0532 0130 00"},)}))
    assert redactor.text("to DE89 3704…") == "to «iban 1»…"


@pytest.mark.slow
def test_a_crowded_screen_hides_no_password() -> None:
    redactor = Redactor()
    crowd = "\n".join(f"+49 171 {number}" for number in range(1_000_000, 1_011_000))
    rows = [{"text": "sunshine", "password": True}, {"text": crowd}, {"text": "Your code is 482913"}]
    nodes = tuple({"node": number, **row} for number, row in enumerate(rows))
    redactor.learn_screen(FactScreen({"Node": nodes}))
    assert redactor.text("sunshine, 482913") == "«credential 1», «code 1»"


def test_an_attribute_that_is_called_a_password_is_replaced() -> None:
    redactor = Redactor()
    data = {"values": {"userPassword": "sunshine", "name": "Ann"}, "said": ["sunshine", "sun"]}
    assert redactor.data(data) == {
        "values": {"userPassword": "«credential 1»", "name": "Ann"},
        "said": ["«credential 1»", "sun"],
    }


def test_what_is_learnt_from_texts_is_no_word() -> None:
    redactor = Redactor()
    assert redactor.text("state Login { password: Text }") == "state Login { password: «credential 1» }"
    assert redactor.texts(["my password is hunter2!", "Text hunter2"])[1] == "Text «credential 2»"


def test_learning_much_takes_linear_time() -> None:
    redactor = Redactor()
    begin = time.process_time()
    for number in range(20_000):
        redactor.learn("code", f"{100_000 + number}")
    assert redactor.text("so 100042") == "so «code 43»"
    assert time.process_time() - begin < 5


def test_only_the_chosen_kinds_are_replaced() -> None:
    assert Redactor(["card"]).text("a@b.co 4111111111111111") == "a@b.co «card 1»"


@given(st.text(max_size=60))
def test_a_stream_prints_no_planted_secret(text: str) -> None:
    inner = io.StringIO()
    stream = RedactedStream(inner, Redactor(lexicon=Lexicon(["Alder"])))
    stream.write(f"{text} 4111 1111 1111 1111 {text} Alder {text}")
    assert "4111 1111 1111 1111" not in inner.getvalue()
    assert " Alder " not in inner.getvalue()


def test_times_and_hashes_of_records_stay(tmp_path: Path) -> None:
    with Journal(tmp_path / "j.jsonl", sync="none", resumable=False, redactor=Redactor()) as journal:
        journal.write(
            "observe", {"at": "2026-07-01T10:15:00", "screen": {"id": "4111111111111111", "text": "a@b.co"}}
        )
    (line,) = (tmp_path / "j.jsonl").read_text(encoding="utf-8").splitlines()
    assert json.loads(line)["screen"] == {"id": "4111111111111111", "text": "«email 1»"}


def test_a_line_of_adb_types_blanks_as_percent_s() -> None:
    redactor = Redactor()
    line = "input text a%sb%s4111%s1111%s1111%s1111%s100%sure"
    assert redactor.text(line) == "input text a%sb%s«card 1»%s100%sure"
    assert redactor.text("hunter%s22 4111 1111 1111 1111") == "hunter%s22 «card 1»"
