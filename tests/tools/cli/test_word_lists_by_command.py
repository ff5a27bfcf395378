"""Lists of words through the commands: stories, the one style, descriptions, exports, proofs and questions."""

import json
from pathlib import Path

import pytest

from tests.commands import vsac
from vsalang.language.notations.out.core_json import from_json
from vsalang.language.semantics import load

POLICY = """policy p "P"
let Sends = words \"\"\"
  send, ~s  // verbs
  // of Japanese
  送信
\"\"\".
let Pays = words "pays.words".
@id("sends")
deny "It sends" when tap(label matches Sends).
@id("pays")
deny "It pays" when tap(label in Pays).
@id("other")
confirm "Another text" when tap(label = ?t), ?t not matches Sends, ?t not in Pays.
test "what is sent" {
  observe Node(node = 1, id = "it", label = "Send now", clickable = true).
  tap(id = "it") => block because "sends".
  observe Node(node = 1, id = "it", label = "すぐに送信", clickable = true).
  tap(id = "it") => block because "sends".
  observe Node(node = 1, id = "it", label = "s\\u200bend", clickable = true).
  tap(id = "it") => block because "sends".
  observe Node(node = 1, id = "it", label = "ѕеnd", clickable = true).
  tap(id = "it") => block because "sends".
  observe Node(node = 1, id = "it", label = "Pay!", clickable = true).
  tap(id = "it") => block because "pays".
  observe Node(node = 1, id = "it", label = "ZAHLE", clickable = true).
  tap(id = "it") => block because "pays".
  observe Node(node = 1, id = "it", label = "Pay later", clickable = true).
  tap(id = "it") => confirm because "other".
  refuse.
  observe Node(node = 1, id = "it", label = "Sender", clickable = true).
  tap(id = "it") => confirm because "other".
  refuse.
}
"""


@pytest.fixture
def policy(tmp_path: Path) -> Path:
    (tmp_path / "pays.words").write_text("pay, ~s\nzahl|en, ~e  // German\n", "utf-8")
    (tmp_path / "p.vsa").write_text(POLICY, "utf-8")
    return tmp_path / "p.vsa"


def test_stories_of_a_policy_with_lists(policy: Path) -> None:
    found = vsac("test", str(policy))
    assert found.returncode == 0, found.stdout + found.stderr
    assert "1 passed" in found.stdout


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["incremental", "pydatalog"])
def test_both_engines_tell_the_same_story(policy: Path, engine: str) -> None:
    found = vsac("test", str(policy), "--engine", engine)
    assert found.returncode == 0, found.stdout + found.stderr


def test_fmt_keeps_order_and_comments(policy: Path) -> None:
    assert vsac("fmt", "--check", str(policy)).returncode == 0
    untidy = POLICY.replace("  send, ~s  // verbs", "\n\n send,~s// a comment\n\n\n\t to  send  // verbs")
    policy.write_text(untidy, "utf-8")
    assert vsac("fmt", str(policy)).returncode == 0
    wanted = POLICY.replace("  send, ~s  // verbs", "  send, ~s  // a comment\n\n  to send  // verbs")
    assert policy.read_text("utf-8") == wanted


def test_describe_shows_the_words(policy: Path) -> None:
    shown = " ".join(vsac("describe", str(policy)).stdout.split())
    assert 'label matching a word of Sends ("send", "sends" and "送信")' in shown
    assert 'label matching as a whole a word of Pays ("pay", "pays", "zahlen" and "zahle")' in shown
    assert '"Sends" stands for the 3 words "send", "sends" and "送信"' in shown
    assert '"Pays" stands for the 4 words in "pays.words" "pay", "pays", "zahlen" and "zahle"' in shown


def test_an_exported_core_has_the_words(policy: Path) -> None:
    found = vsac("export", str(policy), "--to", "json")
    assert found.returncode == 0, found.stderr
    assert from_json(found.stdout) == load(policy).checked()
    assert json.loads(found.stdout)["digest"] == load(policy).checked().digest
    assert "zahle" in found.stdout


def test_datalog_says_what_it_leaves_out(policy: Path) -> None:
    found = vsac("export", str(policy), "--to", "datalog")
    assert "% not expressed: deny (sends): a list of words" in found.stdout
    assert "a list of words" in found.stderr


@pytest.mark.slow
def test_the_solver_knows_the_words_of_named_texts(tmp_path: Path) -> None:
    """A rule that holds of no text that the program names is found to never apply; a free text may be a word."""
    app = 'app shop package "org.shop" "A shop"\naction Pay(to: Text "to whom") "Pay"\n'
    app += 'recognize Pay(to = ?p) when tap(id = "pay") with Node(id = "to", text = ?p).\n'
    (tmp_path / "shop.vsa").write_text(app, "utf-8")
    rules = 'let Friends = words """\n  lena, tom\n""".\nallow Pay(to = "{name}") when Pay(to in Friends).\n'
    verdicts = []
    for name in ("Lena", "Mallory"):
        spec = f'spec s "Pay"\nimport shop\n{rules.replace("{name}", name)}done when Pay earlier.\n'
        (tmp_path / "s.vsa").write_text(spec, "utf-8")
        found = vsac("prove", "verify", str(tmp_path / "s.vsa"))
        verdicts.append(found.stdout + found.stderr)
    assert "internal error" not in "".join(verdicts)
    assert verdicts[0] != verdicts[1]
