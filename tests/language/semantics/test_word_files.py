"""Lists of words in files: which files are read, what is wrong with others, and that they are part of the program."""

from pathlib import Path

import pytest

from tests.commands import vsac
from vsalang.guard import Guard
from vsalang.guard.journal import Recorder, read_session
from vsalang.guard.journal.file import Journal
from vsalang.guard.journal.recorded_programs import recorded_program
from vsalang.language.semantics import Loaded, load, load_text
from vsalang.language.semantics.loader import MAX_WORDS
from vsalang.program.ir import Words
from vsalang.program.walk import parts

POLICY = 'policy p "P"\nlet Sends = words "sends.words".\ndeny "no" when tap(text matches Sends).\n'


def policy(folder: Path, text: str = POLICY, words: str | bytes | None = "send, ~s\n送信\n") -> Loaded:
    """A policy with a file of words next to it."""
    (folder / "p.vsa").write_text(text, "utf-8")
    if words is not None:
        data = words.encode() if isinstance(words, str) else words
        (folder / "sends.words").write_bytes(data)
    return load(folder / "p.vsa")


def lists(loaded: Loaded) -> list[Words]:
    return [part for part in parts(loaded.checked().rules) if isinstance(part, Words)]


def test_a_list_is_read_from_a_file(tmp_path: Path) -> None:
    loaded = policy(tmp_path)
    (found,) = lists(loaded)
    assert found == Words("p.Sends", ("send", "sends", "送信"), reading="possible")
    assert any(name.endswith("sends.words") for name in loaded.sources)


def test_a_list_in_a_folder_below(tmp_path: Path) -> None:
    (tmp_path / "lists").mkdir()
    (tmp_path / "lists" / "a.words").write_text("send", "utf-8")
    loaded = policy(tmp_path, POLICY.replace("sends.words", "lists/a.words"), None)
    assert lists(loaded)[0].forms == ("send",)


def test_another_list_is_another_program(tmp_path: Path) -> None:
    first = policy(tmp_path).checked()
    again = policy(tmp_path).checked()
    other = policy(tmp_path, words="send, ~s\n送信\npay\n").checked()
    comment = policy(tmp_path, words="send, ~s\n送信\n// pay\n").checked()
    assert first.digest == again.digest
    assert len({first.digest, other.digest, comment.digest}) == 3
    assert first.rules != other.rules


def test_rules_of_a_module_follow_its_file_of_words(tmp_path: Path) -> None:
    """What is kept of a checked module is not used when only its file of words changed."""
    text = 'module m "M"\nlet L = words "l.words".\ndefine D(text = ?t) when Node(text = ?t), ?t matches L.\n'
    (tmp_path / "m.vsa").write_text(text, "utf-8")
    (tmp_path / "p.vsa").write_text(
        'policy p "P"\nimport m\ndeny "no" when D(text = ?t), tap(text = ?t).\n', "utf-8"
    )
    found = []
    for words in ("send", "pay"):
        (tmp_path / "l.words").write_text(words, "utf-8")
        found.append(lists(load(tmp_path / "p.vsa"))[0].forms)
    assert found == [("send",), ("pay",)]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("none.words", "there is no file none.words"),
        ("../sends.words", "is not the name of a file of words in the module's folder"),
        ("/etc/sends.words", "is not the name of a file of words in the module's folder"),
        ("lists//a.words", "is not the name of a file of words in the module's folder"),
        ("lists/../a.words", "is not the name of a file of words in the module's folder"),
        (".hidden.words", "is not the name of a file of words in the module's folder"),
        ("sends.txt", "is not the name of a file of words in the module's folder"),
        ("secrets.env", "is not the name of a file of words in the module's folder"),
        ("folder.words", "it is a directory, and only regular files are read"),
        ("link.words", "is a link, or in a linked folder"),
        ("linked/a.words", "is a link, or in a linked folder"),
        ("pipe.words", "it is a named pipe, and only regular files are read"),
        ("large.words", "large.words is larger than 1024 KiB"),
        ("latin.words", "is not UTF-8"),
        ("nul.words", "holds a NUL byte"),
    ],
)
def test_other_files_are_refused(name: str, message: str, tmp_path: Path) -> None:
    import os

    folder = tmp_path / "here"
    folder.mkdir()
    (tmp_path / "sends.words").write_text("send", "utf-8")
    (folder / "folder.words").mkdir()
    (folder / "link.words").symlink_to(tmp_path / "sends.words")
    (tmp_path / "far").mkdir()
    (tmp_path / "far" / "a.words").write_text("send", "utf-8")
    (folder / "linked").symlink_to(tmp_path / "far")
    os.mkfifo(folder / "pipe.words")
    (folder / "large.words").write_bytes(b"a\n" * (MAX_WORDS // 2 + 1))
    (folder / "latin.words").write_bytes(b"l\xf6schen")
    (folder / "nul.words").write_bytes(b"a\0b")
    loaded = policy(folder, POLICY.replace("sends.words", name), None)
    assert [(finding.code, message in finding.message) for finding in loaded.diagnostics] == [("E0218", True)]
    assert loaded.diagnostics[0].help
    assert loaded.program is None


def test_a_flaw_is_shown_in_the_file_of_words(tmp_path: Path) -> None:
    policy(tmp_path, words="send\n  pay(s)?\nSEND\n")
    found = vsac("check", str(tmp_path / "p.vsa"))
    assert found.returncode == 1
    assert "sends.words:2:3" in found.stderr + found.stdout
    assert "sends.words:3:1" in found.stderr + found.stdout
    assert "E0152" in found.stderr + found.stdout


def test_a_text_without_a_file_reads_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "sends.words").write_text("send", "utf-8")
    monkeypatch.chdir(tmp_path)
    assert [finding.code for finding in load_text(POLICY).diagnostics] == ["E0218"]
    assert load_text(POLICY, path=tmp_path / "p.vsa").program is not None


def test_an_editors_text_of_the_list_is_used(tmp_path: Path) -> None:
    policy(tmp_path)
    place = (tmp_path / "sends.words").resolve()
    assert lists(load(tmp_path / "p.vsa", overlay={place: "pay"}))[0].forms == ("pay",)
    long = load(tmp_path / "p.vsa", overlay={place: "a\n" * MAX_WORDS})
    assert [finding.code for finding in long.diagnostics] == ["E0218"]


def test_a_sealed_program_reads_no_file(tmp_path: Path) -> None:
    policy(tmp_path)
    place = (tmp_path / "p.vsa").resolve()
    sealed = load(place, overlay={place: POLICY}, sealed=True)
    assert [finding.code for finding in sealed.diagnostics] == ["E0218"]
    words = (tmp_path / "sends.words").resolve()
    assert lists(load(place, overlay={place: POLICY, words: "send"}, sealed=True))[0].forms == ("send",)


@pytest.mark.parametrize(
    ("rule", "code"),
    [
        ('deny "no" when tap(text = Sends).', "E0310"),
        ('deny "no" when tap(text contains Sends).', "E0310"),
        ('deny "no" when tap(text ~= Sends).', "E0310"),
        ('deny "no" when tap(x in Sends).', "E0303"),
        ('deny "no" when tap(x matches Sends).', "E0303"),
        ('deny "no" when Node(focused in Sends).', "E0303"),
    ],
)
def test_a_list_is_asked_of_texts_alone(rule: str, code: str) -> None:
    loaded = load_text(f'policy p "P"\nlet Sends = words """\n  send\n""".\n{rule}\n')
    assert [finding.code for finding in loaded.diagnostics] == [code], loaded.diagnostics


def test_in_asks_for_the_whole_text() -> None:
    rules = 'deny "no" when tap(text in L).\ndeny "no" when tap(text = ?t), ?t not in L, ?t not matches L.\n'
    loaded = load_text(f'policy p "P"\nlet L = words """\n  send\n""".\n{rules}')
    assert [(each.whole, each.reading) for each in lists(loaded)] == [
        (True, "possible"),
        (True, "narrow"),
        (False, "narrow"),
    ]


def test_a_list_of_an_import_has_its_own_words(tmp_path: Path) -> None:
    (tmp_path / "m.vsa").write_text('module m "M"\nlet L = words "l.words".\n', "utf-8")
    (tmp_path / "l.words").write_text("send", "utf-8")
    (tmp_path / "p.vsa").write_text('policy p "P"\nimport m\ndeny "no" when tap(text in m.L).\n', "utf-8")
    (found,) = lists(load(tmp_path / "p.vsa"))
    assert (found.name, found.forms) == ("m.L", ("send",))


def test_a_journal_holds_the_list(tmp_path: Path) -> None:
    loaded = policy(tmp_path)
    with Journal(tmp_path / "j.jsonl") as journal:
        Guard(loaded.checked(), recorder=Recorder(journal, sources=loaded.sources, spec=loaded.file))
    session = read_session(tmp_path / "j.jsonl")
    (tmp_path / "sends.words").write_text("something else", "utf-8")
    assert lists(recorded_program(session))[0].forms == ("send", "sends", "送信")


def test_a_list_with_a_mistake_gives_one_error() -> None:
    """The rules that read it are not blamed."""
    text = 'policy p\nlet W = words """\n  send\n  send\n""".\ndeny "x" when tap(label matches W).\n'
    assert [item.code for item in load_text(text).diagnostics] == ["E0152"]
