"""The system's trace: what a look reads whole, what it does not and why, and what the guard makes of both."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vsalang.guard import Guard, Settings
from vsalang.language.semantics import load_text
from vsalang.phone import DeviceError
from vsalang.phone.open import open_device
from vsalang.phone.open.simulated import SimulatedDevice
from vsalang.phone.uiautomator import Tracing, tracefiles, tracetext
from vsalang.phone.uiautomator.tracefiles import Entry, Listing
from vsalang.program.action import Action
from vsalang.screen.screen import TreeScreen
from vsalang.screen.tree import load_dump

PACKAGE = "com.opentable"


def rows(screen: Any, relation: str) -> list[dict[str, Any]]:
    return [dict(row) for row in screen.rows(relation)]


def listed(*lines: str, errors: str = "", whole: bool = True, failed: bool = False) -> Listing:
    text = "".join(f"{line}\n" for line in lines)
    return tracefiles.files("/a/", text, errors, "w", whole=whole, failed=failed)


ROOT = "d w 0 1.0 /a/"


# ---------------------------------------------------------------------- listings


def test_a_cut_off_listing_tells_neither_new_nor_gone() -> None:
    old = listed(ROOT, "f w 1 5.0 /a/a", "f w 1 5.0 /a/b")
    assert old.whole == ("/a/",) and not old.holes
    cut = listed(ROOT, "f w 1 6.0 /a/a", "f w 1 6.0 /a/c", whole=False)
    assert cut.whole == () and cut.holes == {"/a/": "cut off"}
    assert [(c.path, c.kind) for c in tracefiles.changes(old, cut)] == [("/a/a", "changed"), ("/a/c", "new")]
    assert [(c.path, c.kind) for c in tracefiles.changes(cut, old)] == [("/a/a", "changed"), ("/a/c", "gone")]


def test_the_last_line_may_be_cut() -> None:
    cut = tracefiles.files("/a/", f"{ROOT}\nf w 1 5.0 /a/x", "", "w", whole=True, failed=False)
    assert not cut.entries and cut.holes == {"/a/": "cut off"}


@pytest.mark.parametrize(
    "lines",
    [
        ["f w 1 5.0 /a/a", "/evil"],  # a line break in a name
        ["f w 1 5.0 /a/a", "f w 1 5.0 /a/a"],
        ["f w 1 5.0 /b/a"],
        ["f v 1 5.0 /a/a"],
    ],
)
def test_a_name_that_cannot_be_read_breaks_the_whole(lines: list[str]) -> None:
    assert listed(ROOT, *lines).holes == {"/a/": "a name that cannot be read"}


def test_too_many_files_are_not_whole() -> None:
    many = listed(ROOT, *(f"f w 1 5.0 /a/{n}" for n in range(tracefiles.MOST_FILES + 1)))
    assert not many.whole and len(many.entries) == tracefiles.MOST_FILES


FOLDERS = (
    ROOT,
    "d w 0 1.0 /a/x",
    "d w 0 1.0 /a/y",
    "d w 0 1.0 /a/x/p",
    "d w 0 1.0 /a/x/q",
    "f w 1 5.0 /a/y/f",
)


@pytest.mark.parametrize(
    ("errors", "whole", "why"),
    [
        ("find: '/a/x/p': Permission denied\n", ("/a/x/q/", "/a/y/"), {"/a/x/p/": "permission denied"}),
        ("find: /a/x: Permission denied\n", ("/a/y/",), {"/a/x/": "permission denied"}),
        ("find: /a/: Permission denied\n", (), {"/a/": "permission denied"}),
        ("find: /a/z: Permission denied\n", (), {"/a/": "an error that cannot be read"}),
        ("find: /a/x: Permission denied\nnonsense\n", (), {"/a/": "an error that cannot be read"}),
        ("", (), {"/a/": "the command failed"}),
    ],
)
def test_folders_that_are_denied_are_holes(errors: str, whole: tuple[str, ...], why: dict[str, str]) -> None:
    found = listed(*FOLDERS, errors=errors, failed=True)
    assert (found.whole, found.holes) == (whole, why)


def test_a_folder_that_is_not_there_is_not_empty() -> None:
    found = listed(errors="find: '/a/': No such file or directory\n", failed=True)
    assert found.holes == {"/a/": "no such file or directory"} and not found.whole
    assert listed().holes == {"/a/": "no such folder"}


def test_names_the_language_does_not_tell_apart_are_one() -> None:
    """A folder counts as read only if none with the same canonical name was denied."""
    found = listed(
        ROOT,
        "d w 0 1 /a/x-y",
        "d w 0 1 /a/x\u2013y",
        "d w 0 1 /a/z",
        errors="find: /a/x\u2013y: No\n",
        failed=True,
    )
    assert found.whole == ("/a/z/",)


def read(files: dict[str, int], *whole: str) -> Listing:
    return Listing({path: Entry(size, "1") for path, size in files.items()}, whole)


def test_what_one_look_missed_the_next_tells() -> None:
    first = read({"/a/1": 1, "/a/2": 1}, "/a/")
    known = first.then(read({"/a/1": 2}))
    assert known.whole == ("/a/",) and set(known.entries) == {"/a/1", "/a/2"}
    now = read({"/a/1": 2, "/a/3": 1}, "/a/")
    assert [(c.path, c.kind) for c in tracefiles.changes(known, now)] == [("/a/3", "new"), ("/a/2", "gone")]


SIZES = st.dictionaries(st.sampled_from(["/a/1", "/a/2", "/a/b/1", "/a/b/2"]), st.integers(1, 2))


@given(SIZES, st.lists(st.tuples(SIZES, st.sampled_from(["", "/a/", "/a/b/"])), max_size=4), SIZES)
def test_no_change_is_lost_between_looks(
    first: dict[str, int], between: list[tuple[dict[str, int], str]], last: dict[str, int]
) -> None:
    """Whatever was read in between: a file that differs is told by some look, or was as it is now when seen last."""
    known, told = read(first, "/a/"), set[str]()
    for state, part in [*between, (last, "/a/")]:
        seen = {path: size for path, size in state.items() if part and path.startswith(part)}
        now = read(seen, *([part] if part else []))
        told |= {change.path for change in tracefiles.changes(known, now)}
        known = known.then(now)
    assert {path for path in {*first, *last} if first.get(path) != last.get(path)} <= told


def test_files_that_keep_changing_their_names_take_no_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tracefiles, "MOST_KEPT", 100)
    known = read({"/sdcard/a": 1}, "/sdcard/")
    for number in range(30):
        known = known.then(read({f"/sdcard/{number}-{each}": 1 for each in range(10)}))
        assert len(known.entries) <= 110
    later = read({"/sdcard/a": 1, **dict.fromkeys(known.entries, 1)})
    assert not tracefiles.changes(known, later)  # what was forgotten is not new


def test_changes_of_ignored_files_are_told_as_unread() -> None:
    old = read({"/a/log": 1, "/a/d/x": 1, "/a/e/x": 1}, "/a/").hashed({"/a/log": "1"})
    new = read({"/a/log": 2, "/a/d/x": 2, "/a/e/x": 1}, "/a/").hashed({"/a/log": "2"})
    found = tracefiles.rows(old, new, lambda path: path == "/a/log")
    assert [row["path"] for row in found["FileChanged"]] == ["/a/d/x"]
    assert {"relation": "FileChanged", "within": "/a/log", "why": "ignored"} in found["Untraced"]
    assert [row["within"] for row in found["Traced"] if row["relation"] == "FileChanged"] == [
        "/a/d/",
        "/a/e/",
    ]
    quiet = tracefiles.rows(old, old, lambda path: path == "/a/log")
    assert {"relation": "FileChanged", "within": "/a/"} in quiet["Traced"]


def test_the_first_look_knows_of_no_change() -> None:
    found = tracefiles.rows(None, read({"/a/x": 1}, "/a/"))
    assert "FileChanged" not in found
    assert found["Traced"] == [{"relation": "File", "within": "/a/"}]
    assert found["Untraced"] == [{"relation": "FileChanged", "within": "/a/", "why": "first look"}]


def test_a_cut_answer_of_hashes_loses_its_last_line() -> None:
    wanted = frozenset({"/x", "/xy"})
    cut = f"{'a' * 64}  /xy\n{'b' * 64}  /x"
    assert tracefiles.hashes(cut, wanted) == {"/xy": "a" * 64}
    assert tracefiles.hashes(cut + "y\n", wanted) == {"/xy": "b" * 64}
    assert tracefiles.quoted("/it's") == r"'/it'\''s'"


# ---------------------------------------------------------------------- the others


DUMP = (
    "Packages:\n  Package [a.b] (1f):\n    versionName=1\n      x.CAMERA: granted=false\n"
    "      runtime permissions:\n        x.CAMERA: granted=true, flags=[ A|B ]\n        x.MIC: granted=true\n"
    "  Package [c.d] (2f):\n        x.SMS: granted=true\n"
)


def test_what_apps_write_does_not_pass_for_the_phone() -> None:
    assert tracetext.permissions(DUMP, "a.b") == [
        {"package": "a.b", "name": "x.CAMERA"},
        {"package": "a.b", "name": "x.MIC", "granted": True},
    ]
    assert tracetext.permissions(DUMP, "e.f") == []
    assert tracetext.settings("a=1\nb=two\nlines\nc=1\nc=2\n=\n\nd=x=y", "global") == [
        {"namespace": "global", "key": "a", "value": "1"},
        {"namespace": "global", "key": "b"},
        {"namespace": "global", "key": "c"},
        {"namespace": "global", "key": "d", "value": "x=y"},
    ]
    assert tracetext.owners("package:a.b uid:10001\npackage:c uid:1000\npackage:d uid:1000") == {
        10001: "a.b",
        1000: None,
    }


def test_the_version_of_an_app() -> None:
    assert tracetext.version_of(DUMP, "a.b") == "1"
    assert (
        tracetext.version_of(
            DUMP.replace("versionName=1", "versionCode=7 minSdk=2\n    versionName=2.0"), "a.b"
        )
        == "2.0 7"
    )
    assert tracetext.version_of(DUMP, "c.d") == tracetext.version_of(DUMP, "e.f") == ""


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("", "", ""),
        ("versionName=1", "sharedUser=SharedUserSetting{1f android/1000}", "shares its user with other apps"),
        ("x.MIC: granted=true", "x.MIC: granted=maybe", "a line that cannot be read"),
        ("x.MIC: granted=true", "x.MIC: granted=true, flags=[]x", "a line that cannot be read"),
        ("runtime permissions:", "others:", "not in the answer"),
    ],
)  # fmt: skip
def test_permissions_are_whole_or_it_says_why(old: str, new: str, why: str) -> None:
    assert tracetext.permissions_missing(DUMP.replace(old, new, 1), "a.b") == why
    assert tracetext.permissions_missing(DUMP, "e.f") == "not in the answer"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("a=1\nb=\n", ""),
        ("a=two\nlines\n", "a line that cannot be read"),
        ("", "not in the answer"),
        ("\n".join(f"a{n}=1" for n in range(tracetext.MOST_ROWS + 1)), "cut off"),
    ],
)
def test_settings_are_whole_or_it_says_why(text: str, why: str) -> None:
    assert tracetext.settings_missing(text) == why


@given(st.text(), st.text(), st.sampled_from(["a.b", "x"]))
def test_nothing_a_phone_prints_breaks_the_readers(text: str, errors: str, package: str) -> None:
    found = tracefiles.files("/a/", text, errors, "w", whole=True, failed=True)
    assert not found.whole or "/a/" not in found.holes
    tracefiles.rows(found, found)
    tracetext.permissions(text, package)
    tracetext.permissions_missing(text, package)
    tracetext.settings(text, "system")
    tracetext.settings_missing(text)
    tracetext.connections(text, tracetext.owners(text))
    tracefiles.hashes(text, frozenset({text}))


def test_options_of_the_trace() -> None:
    assert Tracing.read("files, settings").kinds == {"files", "settings"}
    assert not Tracing.read("").kinds
    with pytest.raises(
        DeviceError, match="no trace of 'file'; there are: files, permissions, connections, settings"
    ):
        Tracing.read("file")
    for root in ("sdcard", "/", "/a/../b", "/a b", "/a;b", "/$(x)", "//", "/a//b", "/./"):
        with pytest.raises(DeviceError, match="absolute and plain"):
            Tracing(frozenset({"files"}), (root,))
    assert Tracing(roots=("/sdcard", "/sdcard/")).folders == ("/sdcard/",)


def test_changes_of_two_looks_count_where_both_know_them() -> None:
    def look(*within: str, holes: tuple[str, ...] = ()) -> TreeScreen:
        traced = [{"relation": name, "within": each} for each in within for name in ("File", "FileChanged")]
        unread = [{"relation": "FileChanged", "within": each, "why": "cut off"} for each in holes]
        system = {"File": [], "FileChanged": [], "Traced": traced, "Untraced": unread}
        return TreeScreen(load_dump("<hierarchy/>"), system=system)

    joined = look("/a/", "/b/").also(look("/a/", holes=("/b/",)))
    assert [row["within"] for row in rows(joined, "Traced") if row["relation"] == "FileChanged"] == ["/a/"]
    assert [row["within"] for row in rows(joined, "Traced") if row["relation"] == "File"] == ["/a/", "/b/"]
    assert rows(joined, "Untraced") == [{"relation": "FileChanged", "within": "/b/", "why": "cut off"}]


# ---------------------------------------------------------------------- on a phone


@pytest.fixture(scope="module")
def simulated() -> Iterator[SimulatedDevice]:
    pytest.importorskip("uiautomator2")
    with open_device("sim:restaurant", trace=Tracing.read("files,permissions,settings")) as device:
        assert isinstance(device, SimulatedDevice)
        device.phone.open_app(PACKAGE)
        yield device


def whole(screen: Any, relation: str) -> list[str]:
    return [row["within"] for row in screen.rows("Traced") if row["relation"] == relation]


def test_a_look_says_what_it_read_whole(simulated: SimulatedDevice) -> None:
    first = simulated.observe()
    assert whole(first, "File") == ["/sdcard/"] and whole(first, "FileChanged") == []
    second = simulated.observe()
    assert whole(second, "FileChanged") == ["/sdcard/"] and rows(second, "Untraced") == []
    assert whole(second, "Permission") == [PACKAGE]
    assert whole(second, "Setting") == ["system", "secure", "global"]


def test_a_budget_that_is_used_up_reads_nothing(simulated: SimulatedDevice) -> None:
    tracer = simulated._device._eyes._tracer
    assert tracer is not None
    tracer._tracing, kept = Tracing(tracer._tracing.kinds, budget=0.0), tracer._tracing
    try:
        found = tracer.take(PACKAGE)
    finally:
        tracer._tracing = kept
    assert set(found) == {"Traced", "Untraced"} and not found["Traced"]
    assert {str(row["relation"]) for row in found["Untraced"]} == {
        "File",
        "FileChanged",
        "Permission",
        "Setting",
    }
    assert {row["why"] for row in found["Untraced"]} == {"cut off"}


def test_the_screen_a_phone_tells_is_not_a_look(simulated: SimulatedDevice) -> None:
    """Rows of the last look are given again, but what is absent there is not known to be absent now."""
    simulated.observe()
    told = simulated.screen_of(simulated.moment())
    assert "Setting" in told.relations() and rows(told, "Traced") == []
    assert {"relation": "File", "why": "not read by this look"} in rows(told, "Untraced")


def contracts(device: SimulatedDevice, act: Callable[[], None]) -> list[str]:
    policy = r"""
    policy integrity "Photos stay as they are"
    expect no FileChanged(path matches /^\/sdcard\/DCIM\//) when tap.
    """
    guard = Guard(
        load_text(policy).checked(), settings=Settings(unknown_screen="allow", look_age=None, task=False)
    )
    device.observe()
    guard.observe(device.observe())
    tap = guard.propose(Action("tap", {"x": 1, "y": 1}))
    guard.commit(tap, approved=True)
    act()
    return [contract.outcome for contract in guard.observe(device.observe()).contracts]


def test_contracts_on_a_phone(simulated: SimulatedDevice) -> None:
    from vsalang.phone.sim.shell.shell import COMMANDS

    files = simulated._simulated.services.files
    files.write("/sdcard/DCIM/1.jpg", b"one", mtime=1)
    assert contracts(simulated, lambda: None) == ["met"]
    assert contracts(simulated, lambda: files.write("/sdcard/x", b"x", mtime=1)) == ["met"]
    assert contracts(simulated, lambda: files.write("/sdcard/DCIM/1.jpg", b"two", mtime=2)) == ["violated"]
    find = COMMANDS["find"]
    try:
        assert contracts(simulated, lambda: COMMANDS.pop("find") and None) == ["inconclusive"]
    finally:
        COMMANDS["find"] = find
    tracer = simulated._device._eyes._tracer
    simulated._device._eyes._tracer = None
    try:
        assert contracts(simulated, lambda: None) == ["inconclusive"]
    finally:
        simulated._device._eyes._tracer = tracer
