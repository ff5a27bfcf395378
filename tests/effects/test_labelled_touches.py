"""The touches for labelling: how they are drawn, shown, and compared."""

import gzip
import json
from pathlib import Path

import pytest

from benchmarks.effects import agreement, touches
from benchmarks.effects.agreement import kappa, report
from benchmarks.effects.labels import LABELS, Label, read_labels
from benchmarks.effects.sample import LANGUAGES, MOST, MOST_OF_SCREEN, list_digest, main, sample, vendor
from benchmarks.effects.screens import DROIDTASK, read_screens
from benchmarks.effects.touches import LIST, ListError, Touch, locate, read_touches, shown

_NODE = (
    '<node index="0" text="{text}" resource-id="{package}:id/{id}" class="android.widget.{cls}" package="{package}" '
    'content-desc="" checkable="false" checked="false" clickable="{clickable}" enabled="true" focusable="true" '
    'focused="false" scrollable="false" long-clickable="false" password="false" selected="false" bounds="{bounds}">'
)


def _dump(package: str, *labels: str) -> str:
    """A screen with a button for each label."""
    parts = ["<hierarchy rotation='0'>"]
    frame = {"package": package, "id": "content", "cls": "FrameLayout", "clickable": "false", "text": ""}
    parts.append(_NODE.format(**frame, bounds="[0,0][1000,2000]"))
    for row, label in enumerate(labels):
        button = {"package": package, "id": f"b{row}", "cls": "Button", "clickable": "true", "text": label}
        parts.append(_NODE.format(**button, bounds=f"[0,{row * 100}][500,{row * 100 + 90}]") + "</node>")
    return "".join([*parts, "</node></hierarchy>"])


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Dumps of seven apps, and a walk of DroidTask."""
    dumps = tmp_path / "data" / "ui_dumps"
    dumps.mkdir(parents=True)
    packages = [
        "com.a.one",
        "com.a.two",
        "com.b.app",
        "com.c.app",
        "com.d.app",
        "com.ticktick.task",
        "com.viwa.android",
    ]
    for number, package in enumerate(packages):
        for page in range(3):
            text = _dump(
                package, *(f"{word} {page}" for word in ("Save", "Cancel", "Send", "Open", "Share", "More"))
            )
            (dumps / f"{number}{page}.xml.gz").write_bytes(gzip.compress(text.encode()))
    walks = tmp_path / "data" / "trajectories" / "droidtask"
    walks.mkdir(parents=True)
    states = [
        "<div id='0'><button id='1'>New</button><p id='2'>Notes</p></div>",
        "<div id='0'><input id='1'>Title</input><button id='2'>OK</button></div>",
    ]
    records = [{"State": state, "Action": "touch", "Choice": 1} for state in states]
    task = {"app": "notes", "task_name": "make a note", "records": records}
    (walks / "notes.jsonl.gz").write_bytes(gzip.compress((json.dumps(task) + "\n").encode()))
    return tmp_path / "data"


def _list(file: Path, head: list[str], found: list[Touch]) -> Path:
    lines = [f"# {line}" for line in head] + ["\t".join(touches.COLUMNS)] + [touch.line() for touch in found]
    file.write_text("\n".join(lines) + "\n")
    return file


def test_same_seed_draws_same_touches(data: Path) -> None:
    screens = read_screens(data)
    assert sample(screens) == sample(screens)
    assert sample(screens, seed=1)[1] != sample(screens, seed=2)[1]


def test_bounds_of_screens_and_apps_are_kept(data: Path) -> None:
    _, found = sample(read_screens(data), share=9)
    for app in {touch.app for touch in found}:
        own = [touch for touch in found if touch.app == app]
        assert len(own) <= 9 or app.startswith(DROIDTASK)
        for screen in {touch.screen for touch in own}:
            assert 1 <= sum(touch.screen == screen for touch in own) <= MOST_OF_SCREEN
    _, many = sample(read_screens(data), share=1000)
    assert max(sum(touch.app == app for touch in many) for app in {touch.app for touch in many}) <= MOST


def test_closed_vendors_have_no_open_app(data: Path) -> None:
    head, found = sample(read_screens(data))
    splits = {(vendor(touch.app), touch.split) for touch in found}
    assert len(splits) == len({name for name, _ in splits})
    assert (DROIDTASK, "open") in splits
    closed = sorted({touch.app for touch in found if touch.split == "closed"})
    assert closed
    assert f"closed sha256:{list_digest(closed)} {' '.join(closed)}" in head


def test_recorded_next_screen_is_noted(data: Path) -> None:
    _, found = sample(read_screens(data), share=20)
    opener = next(touch for touch in found if touch.app == f"{DROIDTASK}notes" and touch.kind == "recorded")
    text = shown([opener], read_screens(data))
    assert f'>>{opener.touch}>> •Button "New"' in text
    assert '"OK"' not in text
    assert "there comes" not in text
    assert "there comes Title, OK" in shown([opener], read_screens(data), after=True)


def test_list_read_again_is_equal(data: Path, tmp_path: Path) -> None:
    head, found = sample(read_screens(data))
    assert list(read_touches(_list(tmp_path / "list.tsv", head, found))) == found


def test_commands_draw_and_show(data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--data", str(data)]) == 0
    (tmp_path / "list.tsv").write_text(capsys.readouterr().out)
    options = ["--data", str(data), "--list", str(tmp_path / "list.tsv"), "show"]
    assert touches.main([*options, "1-2"]) == 0
    assert ">>1>>" in capsys.readouterr().out
    assert touches.main([*options, "first"]) == 2
    assert "'first' is not the number of a touch" in capsys.readouterr().err


def test_another_node_at_place_is_refused(data: Path) -> None:
    screens = read_screens(data)
    _, found = sample(screens)
    cells = dict(zip(touches.COLUMNS, found[0].line().split("\t"), strict=True)) | {"cls": "Spinner"}
    other = Touch(**(cells | {name: int(cells[name]) for name in ("touch", "place", "control")}))  # type: ignore[arg-type]
    with pytest.raises(ListError, match="another node stands at place"):
        locate(other, screens)
    with pytest.raises(ListError, match="the data has no screen"):
        locate(other, {})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1\tperhaps", "a label has a number"),
        ("x\tacts\tSend", "a label has a number"),
        ("1\tacts", "has a kind"),
        ("1\tacts\tSing", "has a kind"),
        ("1\tleads-on\tSend", "has a kind"),
        ("1\tleads-on\n1\tleads-on", "has a label already"),
        ("1\tacts\tSend\tto=Bob\tnote\tmore", "a label has a number"),
    ],
)
def test_malformed_labels_are_refused(text: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "labels.tsv").write_text(text)
    with pytest.raises(ListError, match=message):
        read_labels(tmp_path / "labels.tsv")


def test_kappa_of_known_tables() -> None:
    # Cohen's example: 20 and 15 agree of 50, chance is 0.5
    pairs = [("yes", "yes")] * 20 + [("yes", "no")] * 5 + [("no", "yes")] * 10 + [("no", "no")] * 15
    assert kappa(pairs) == pytest.approx(0.4)
    assert kappa([("a", "b"), ("b", "a")]) == pytest.approx(-1)
    assert kappa([("a", "a")]) is None
    assert kappa([]) is None


def test_differences_are_reported(tmp_path: Path, data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    head, found = sample(read_screens(data))
    file = _list(tmp_path / "list.tsv", head, found)
    (tmp_path / "1.tsv").write_text("1\tacts\tSend\tto=Bob\n2\tleads-on\n3\tacts\tEdit\n")
    (tmp_path / "2.tsv").write_text("1\tacts\tSend\tto=Robert\n2\tunclear\t\t\tno text\n3\tacts\tCreate\n")
    assert agreement.main([str(tmp_path / "1.tsv"), str(tmp_path / "2.tsv"), "--list", str(file)]) == 0
    text = capsys.readouterr().out
    assert f"3 of {len(found)} touches have two labels" in text
    assert "all: labels: 2 of 3 agree, 66.7 %, kappa 0.40" in text
    assert "all: labels and kinds: 1 of 3 agree, 33.3 %, kappa 0.25" in text
    assert "2 to settle\n2: leads-on / unclear  (no text)\n3: acts Edit() / acts Create()\n" in text
    assert agreement.main([str(tmp_path / "1.tsv"), str(tmp_path / "no.tsv")]) == 2


def test_report_without_common_touches() -> None:
    assert "all: labels: none" in report({1: Label(1, LABELS[1], "", "", "")}, {}, read_touches())


def test_list_in_repository_fits_its_head() -> None:
    found = read_touches()
    assert [touch.touch for touch in found] == list(range(1, len(found) + 1))
    assert len(found) >= 800
    for split in ("closed", "open"):
        names = sorted({touch.app for touch in found if touch.split == split})
        assert f"# {split} sha256:{list_digest(names)} {' '.join(names)}\n" in LIST.read_text()
    closed = {touch.app for touch in found if touch.split == "closed"}
    assert not any(app.startswith(DROIDTASK) for app in closed)
    assert len(closed & LANGUAGES.keys()) >= 5
    assert len({touch.app for touch in found}) >= 30


@pytest.mark.soak
def test_list_in_repository_is_of_the_data(shared_data: Path) -> None:
    """What was labelled stays, though the kinds of controls by which it was drawn are read better since then."""
    screens = read_screens(shared_data)
    head, found = sample(screens)
    listed = read_touches()
    assert {touch.app for touch in listed} == {touch.app for touch in found}
    assert f"# {head[1]}\n" in LIST.read_text() and head[1].startswith("closed sha256:")
    for touch in listed:
        locate(touch, screens)
