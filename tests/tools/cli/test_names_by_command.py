"""Names of people and identifiers through the commands: stories, the one style, descriptions, exports, proofs, lint."""

from pathlib import Path

import pytest

from tests.commands import vsac
from vsalang.language.notations.out.core_json import from_json
from vsalang.language.semantics import load, load_text

APP = """app chat package "com.chat" "A chat"

action Send(to: Text "the recipient", text: Text "the text") "Send a message"
recognize Send(to = ?to, text = ?text)
  when tap(id = "send"), Node(id = "title", text = ?to), Node(id = "box", text = ?text).
"""
POLICY = """policy p "P"
import chat

let Nobody = "Tom".

@id("tom")
deny "Nothing for Tom" when Send(to names Nobody).
@id("others")
confirm "Only Lena and this number" when Send(to not names "Lena"), Send(to not names "+49 170 1234567").

test "who is meant" {
STEPS}
"""
STORIES = {
    "Lena Fischer": "allow",
    "FISCHER LENA": "allow",
    "Elena": 'confirm because "others"',
    "+49 170 7654321": 'block because "tom"',  # whose number it is nobody knows
    "Lena, Tom": 'block because "tom"',
    "Tom Weber": 'block because "tom"',
    "T. Weber": 'block because "tom"',
    "Tоm": 'block because "tom"',  # with a Cyrillic letter
}
SPEC = """spec s "Write to Lena"
import chat

allow Send(to names "Lena").
done when Send earlier.

test "who is meant" {
STEPS}
"""
LICENSED = {
    "Lena Fischer": "allow",
    "Elena": "block",
    "Lena, Tom": "block",
    "lena@x.org": "block",
    "Lеna": "block",
}


def with_steps(text: str, stories: dict[str, str]) -> str:
    """A test with a step for each recipient."""
    steps = [
        f'  observe App(package = "com.chat"), Node(node = 1, id = "title", text = "{to}"), '
        f'Node(node = 2, id = "box", text = "Hi"), Node(node = 3, id = "send", clickable = true).\n'
        f'  tap(id = "send") => {verdict}.\n' + ("  refuse.\n" if verdict.startswith("confirm") else "")
        for to, verdict in stories.items()
    ]
    return text.replace("STEPS", "".join(steps))


@pytest.fixture
def policy(tmp_path: Path) -> Path:
    (tmp_path / "chat.vsa").write_text(APP, "utf-8")
    (tmp_path / "p.vsa").write_text(with_steps(POLICY, STORIES), "utf-8")
    return tmp_path / "p.vsa"


@pytest.mark.parametrize("engine", ["incremental", pytest.param("pydatalog", marks=pytest.mark.slow)])
def test_a_policy_asks_who_is_meant(policy: Path, engine: str) -> None:
    found = vsac("test", str(policy), "--engine", engine)
    assert found.returncode == 0, found.stdout + found.stderr
    assert "1 passed" in found.stdout


def test_a_spec_permits_who_is_meant(policy: Path) -> None:
    spec = policy.parent / "s.vsa"
    for to, verdict in LICENSED.items():  # a licence is used up
        spec.write_text(with_steps(SPEC, {to: verdict}), "utf-8")
        found = vsac("test", str(spec))
        assert found.returncode == 0, found.stdout + found.stderr


def test_a_verdict_says_what_is_unclear(policy: Path) -> None:
    spec = policy.parent / "s.vsa"
    spec.write_text(with_steps(SPEC, {"Lena, Tom": "allow"}), "utf-8")
    unclear = 'seen "Lena, Tom" (it is unclear whether that is "Lena"), wanted names "Lena"'
    assert unclear in vsac("test", str(spec)).stdout
    spec.write_text(with_steps(SPEC, {"Elena": "allow"}), "utf-8")
    assert 'seen "Elena", wanted names "Lena"' in vsac("test", str(spec)).stdout


def test_describe_says_who_is_meant(policy: Path) -> None:
    english = " ".join(vsac("describe", str(policy)).stdout.split())
    assert 'recipient named "Tom"' in english
    assert 'recipient not named "Lena"' in english


def test_fmt_and_core_keep_names(policy: Path) -> None:
    text = f'{APP}\ndefine  Ours(to = ?t) when Send(to = ?t), ?t   names   "Lena", ?t not   names "Tom".\n'
    policy.with_name("chat.vsa").write_text(text, "utf-8")
    assert vsac("fmt", str(policy.with_name("chat.vsa"))).returncode == 0
    assert '?t names "Lena",' in policy.with_name("chat.vsa").read_text("utf-8")
    found = vsac("export", str(policy), "--to", "json")
    assert from_json(found.stdout) == load(policy).checked()


def test_datalog_says_what_it_leaves_out(policy: Path) -> None:
    found = vsac("export", str(policy), "--to", "datalog")
    assert "% not expressed: deny (tom): a name" in found.stdout


def test_a_role_is_told(policy: Path) -> None:
    policy.write_text('policy p "P"\nimport chat\ndeny "no" when Send(to names "my boss").\n', "utf-8")
    found = vsac("lint", str(policy))
    assert "L0041" in found.stdout + found.stderr


@pytest.mark.parametrize(
    ("condition", "code"),
    [
        ("Send(to names ?x), Send(text = ?x)", "E0411"),
        ('Send(to names "!")', "E0411"),
        ('Send(to names {"Lena"})', "E0411"),
        ('tap(x names "Lena")', "E0303"),
    ],
)
def test_what_names_nobody(condition: str, code: str) -> None:
    loaded = load_text(f'{APP}deny "no" when {condition}.\n')
    assert [finding.code for finding in loaded.diagnostics] == [code], loaded.diagnostics


PICKED = 'define Picked(name = ?t) when Node(id = "title", text = ?t).\n'


@pytest.mark.slow
@pytest.mark.parametrize(
    ("to", "named", "denied"),
    [("Lena Fischer", True, False), ("Elena", False, True), ("Lena, Tom", False, False)],
)
def test_the_solver_knows_whom_texts_name(to: str, named: bool, denied: bool, policy: Path) -> None:
    """What is undecided is neither; a text that the program does not name may be either."""
    policy.with_name("chat.vsa").write_text(APP + PICKED, "utf-8")
    for op, applies in (("names", named), ("not names", denied)):
        for more, fits in ((f', ?n = "{to}"', applies), ("", True)):
            rule = f'allow Send(to = "{to}") when Picked(name = ?n), ?n {op} "Lena"{more}.\n'
            spec = policy.with_name("s.vsa")
            spec.write_text(f'spec s "Write"\nimport chat\n{rule}done when Send earlier.\n', "utf-8")
            found = vsac("prove", "verify", str(spec))
            assert ("never applies" not in found.stdout + found.stderr) is fits, found.stdout
            assert "verified 2 rules" in found.stdout + found.stderr
