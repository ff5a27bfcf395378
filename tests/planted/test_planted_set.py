"""The planted set of risky and harmless traces: as its scenes say, whole, and labelled by its rules."""

import gzip
import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from lxml import etree

from benchmarks.planted import CATEGORIES, PARTS, digests, folder, known_digests
from benchmarks.planted.make import folders
from benchmarks.planted.make.folders import build
from benchmarks.planted.make.scenes import SceneError, after, read
from vsalang.agents.walks.mobilerisk import read_trace
from vsalang.phone.vocabulary.keys import pressed
from vsalang.program.action import DEVICE_ACTIONS, GESTURES, POINTING
from vsalang.screen.tree import hit, load_dump

ROOT = Path(__file__).resolve().parents[2] / "benchmarks" / "planted"
DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
pytestmark = pytest.mark.soak
HALVES = ("open", "held")
LEAST = {"open": (10, 9), "held": (10, 9), "more": (8, 5), "fresh": (10, 6)}
"""Of each category, a part has at least so many unsafe traces, and so many safe ones."""
STATE = {
    "fs", "screen", "time", "activity", "notifications", "toasts", "windows", "permissions", "network", "settings"
}  # fmt: skip
SYSTEM = re.compile(r'package="(?:com\.android\.|android"|org\.example\.settings)')


@dataclass(frozen=True)
class Trace:
    """One trace, and the files next to it."""

    name: str
    place: Path
    data: dict[str, Any]
    files: dict[str, bytes]

    @property
    def before(self) -> int:
        """How many steps of a recorded walk come first."""
        base = self.data.get("base")
        return base["to"] - base["from"] + 1 if base else 0

    @property
    def unsafe(self) -> bool:
        return "/unsafe_" in self.name

    def steps(self) -> Iterator[tuple[dict[str, Any], dict[str, Any], bytes | None]]:
        """Each planted step: its action, the state before it, and its screen."""
        for step in self.data["trajectory"]:
            stem = Path(step["observation"]).stem
            (action,) = step["action"]
            yield action, json.loads(self.files[f"jsons/{stem}.json"]), self.files.get(f"xmls/{stem}.xml")


@cache
def built(part: str) -> Mapping[str, bytes]:
    """What the scenes of a part say, made once."""
    return build(part)


@pytest.fixture(scope="module")
def traces() -> list[Trace]:
    """The set as it is kept, or made now."""
    found = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(folders, "build", built)
        for part in PARTS:
            folder(part)
    for part in PARTS:
        for path in sorted(folder(part).glob("*/*/trajectory.json")):
            files = {}
            for file in path.parent.rglob("*.*"):
                name = file.relative_to(path.parent).as_posix()
                content = file.read_bytes()
                files[name.removesuffix(".gz")] = (
                    gzip.decompress(content) if name.endswith(".gz") else content
                )
            name = f"{part}/{path.parent.relative_to(folder(part)).as_posix()}"
            found.append(Trace(name, path.parent, json.loads(files["trajectory.json"]), files))
    return found


@pytest.mark.parametrize("part", PARTS)
def test_folders_are_what_the_scenes_say(part: str, traces: list[Trace]) -> None:
    """After a change of scenes: ``python -m benchmarks.planted.make``."""
    written = {
        f"{t.name.removeprefix(f'{part}/')}/{name}": content
        for t in traces
        if t.name.startswith(f"{part}/")
        for name, content in t.files.items()
    }
    made = built(part)
    assert written.keys() == made.keys()
    assert [name for name in made if made[name] != written[name]] == []
    assert digests(part, made) == known_digests(part)


def test_there_are_enough_of_each_category(traces: list[Trace]) -> None:
    counts = Counter((t.name.split("/")[0], t.name.split("/")[1]) for t in traces)
    for name in CATEGORIES:
        for number, kind in enumerate(("unsafe", "safe")):
            found = {part: counts[part, f"{kind}_{name}"] for part in PARTS}
            assert all(found[part] >= LEAST[part][number] for part in PARTS), f"{kind}_{name}: {found}"
            assert found["open"] == found["held"], f"{kind}_{name}: {found}"
    assert len(traces) >= 670 and sum(not t.unsafe for t in traces) >= 290
    assert sum("base" in t.data for t in traces) >= 75


def test_page_counts_right(traces: list[Trace]) -> None:
    page = (ROOT / "README.md").read_text(encoding="utf-8")
    counts = Counter(t.name.rpartition("/")[0] for t in traces)
    kinds = [(kind, part) for kind in ("unsafe", "safe") for part in PARTS]
    for name, category in CATEGORIES.items():
        assert (
            f"| {category} | {' | '.join(str(counts[f'{part}/{kind}_{name}']) for kind, part in kinds)} |"
            in page
        )
    steps = [t.before + len(t.data["trajectory"]) for t in traces]
    at = [t.data["meta"]["step"] for t in traces if t.unsafe]
    assert f"whether it is harmful: {len(traces)} traces" in page
    assert f"Of these, {sum('base' in t.data for t in traces)} go on from a recorded walk" in page
    assert (
        f"have {min(steps)} to {max(steps)} steps. The first unsafe step is between {min(at)} and {max(at)}."
        in page
    )


def test_labels_say_what_folders_say(traces: list[Trace]) -> None:
    for t in traces:
        meta, steps = t.data["meta"], t.before + len(t.data["trajectory"])
        assert re.fullmatch(r"(open|held|more|fresh)/(un)?safe_[a-z]+/\d\d", t.name)
        assert set(t.data) <= {"query", "application", "platform_type", "base", "trajectory", "meta"}
        assert (t.data["application"], t.data["platform_type"]) == ("oss", "Android")
        assert 10 < len(t.data["query"]) < 250 and 20 < len(meta["why"]) < 250, t.name
        if t.unsafe:
            own = CATEGORIES[t.name.split("_")[1].split("/")[0]]
            assert meta["type"][0] == own and set(meta["type"]) <= set(CATEGORIES.values()), t.name
            assert 1 <= meta["step"] < steps, f"{t.name}: the last step is the end"
        else:
            assert (meta["step"], meta["type"]) == (None, []), t.name
        assert 3 <= steps <= 16, f"{t.name} has {steps} steps"


def test_steps_are_gestures_on_what_shows(traces: list[Trace]) -> None:
    """Each action is one of the guard's, each screen a dump, and each touch hits a node of it that shows."""
    for t in traces:
        for number, (action, state, xml) in enumerate(t.steps(), t.before + 1):
            where, given = f"{t.name}, step {number}", action["parameters"]
            assert set(state) <= STATE and re.fullmatch(r"[0-9a-f]{32}", state["fs"]["hash"]), where
            if action["name"] == "terminate":
                assert number == t.before + len(t.data["trajectory"]) and xml is None, where
                assert given["status"] in ("success", "failure", "refuse"), where
                continue
            assert action["name"] in GESTURES | DEVICE_ACTIONS, where
            assert action["name"] != "press_key" or pressed(given["key"]), where
            assert xml is not None and len(state["screen"]["text"]) > 0, where
            if action["name"] in POINTING and "x" in given:
                assert hit(load_dump(xml), given["x"], given["y"]) is not None, where
            else:
                assert etree.fromstring(xml).tag == "hierarchy", where


def test_reader_takes_traces_with_their_labels(traces: list[Trace]) -> None:
    """As `vsac audit` reads them: each label, and of some traces each step, whose screen knows what the state says."""
    for number, t in enumerate(traces):
        walks = DATA.is_dir() and t.place.is_relative_to(
            DATA.parents[1]
        )  # they are looked for around the trace
        if "base" in t.data and (not walks or number % 4):
            continue
        walk = read_trace(t.place)
        assert walk.label is not None
        assert (walk.label.unsafe, walk.label.step) == (t.unsafe, t.data["meta"]["step"]), t.name
        assert len(walk.label.categories) == len(t.data["meta"]["type"]), t.name
        assert len(walk.steps) == t.before + len(t.data["trajectory"]), t.name
        for index in range(t.before, len(walk.steps) - 1) if number % 8 == 0 else ():
            taken = walk.taken(index)
            assert taken.screen is not None and len(taken.actions) > 0, f"{t.name}, step {index + 1}"


def test_times_go_on(traces: list[Trace]) -> None:
    for t in traces:
        times = [state["time"] for _, state, _ in t.steps()]
        assert times == sorted(times), t.name


def test_parts_share_no_scenario(traces: list[Trace]) -> None:
    """No query, no recorded task, and no screen of an app, whose words and looks are the same in two parts."""
    queries = Counter(t.data["query"] for t in traces)
    assert [query for query, times in queries.items() if times > 1] == []
    parts = [[t for t in traces if t.name.startswith(f"{part}/")] for part in PARTS]
    tasks = [
        {(t.data["base"]["walk"], t.data["base"]["task"]) for t in part if "base" in t.data} for part in parts
    ]
    screens = [
        {
            state["screen"]["text"]
            for t in part
            for _, state, xml in t.steps()
            if xml is not None
            and not SYSTEM.search(xml.decode())
            and len(state["screen"]["text"].split()) > 8
        }
        for part in parts
    ]
    for one, other in combinations(range(len(PARTS)), 2):
        assert tasks[one] & tasks[other] == set(), (PARTS[one], PARTS[other])
        assert screens[one] & screens[other] == set(), (PARTS[one], PARTS[other])


@pytest.mark.parametrize("parts", [HALVES, ("more",), ("fresh",)])
def test_no_word_gives_the_label_away(parts: tuple[str, ...], traces: list[Trace]) -> None:
    """A rule "unsafe, if this word is on a screen or is typed" is little better than guessing, whatever the word is."""
    words: dict[bool, Counter[str]] = {True: Counter(), False: Counter()}
    measured = [t for t in traces if t.name.split("/")[0] in parts]
    for t in measured:
        said = " ".join(
            json.dumps(state.get("screen", "")) + json.dumps(action) for action, state, _ in t.steps()
        )
        words[t.unsafe].update(set(re.findall(r"[a-zäöüß]{3,}", said.lower())))
    number = Counter(t.unsafe for t in measured)
    best = max(
        set(words[True]) | set(words[False]),
        key=lambda word: abs(words[True][word] / number[True] - words[False][word] / number[False]),
    )
    gain = words[True][best] / number[True] - words[False][best] / number[False]
    assert abs(gain) < 0.25, f"{best!r}: {gain:.2f}"


@pytest.mark.parametrize("parts", [HALVES, ("more",), ("fresh",)])
def test_unsafe_step_is_not_always_the_same(parts: tuple[str, ...], traces: list[Trace]) -> None:
    at = Counter(t.data["meta"]["step"] for t in traces if t.unsafe and t.name.split("/")[0] in parts)
    assert len(at) >= 8 and at.most_common(1)[0][1] <= sum(at.values()) * 0.3, at


def test_set_is_small_and_has_no_pictures() -> None:
    files = [path for part in PARTS for path in folder(part).rglob("*") if path.is_file()]
    assert {"".join(path.suffixes) for path in files} == {".json", ".xml.gz"}
    assert sum(path.stat().st_size for path in files) < 6_500_000


@pytest.mark.skipif(not DATA.is_dir(), reason="the recorded walks are not here")
def test_recorded_walks_have_the_steps_named(traces: list[Trace]) -> None:
    steps: dict[tuple[str, str], int] = {}
    for walk in {t.data["base"]["walk"] for t in traces if "base" in t.data}:
        for line in gzip.decompress((DATA / walk).read_bytes()).decode().splitlines():
            task = json.loads(line)
            steps[walk, task["task_name"]] = len(task["records"])
    for t in traces:
        if base := t.data.get("base"):
            assert 1 <= base["from"] <= base["to"] < steps[base["walk"], base["task"]], t.name


@pytest.mark.parametrize(
    "scene, message",
    [
        ("query: x\n", "begins with == unsafe or == safe"),
        ("== safe\nwho: x\n", "a head has"),
        ("== safe\nquery: x\nquery: y\n", "each once"),
        ("== safe\nquery: x\n\nmail / Inbox\nhello\n", "a block ends with what is done"),
        ("== safe\nquery: x\n\n=\n> back\n", "no screen before"),
        ("== safe\nquery: x\n\nMail\n> back\n", "a block begins with"),
    ],
)
def test_wrong_scenes_are_named(scene: str, message: str, tmp_path: Path) -> None:
    file = tmp_path / "wrong.txt"
    file.write_text(scene)
    with pytest.raises(SceneError, match=re.escape(message)) as error:
        read(file)
    assert "wrong.txt:" in str(error.value)


def test_fields_and_switches_keep_their_state() -> None:
    lines = ("_Name_", "_*Code_ 1", "( ) Wi-Fi | off", "(o) A", "(.) B")
    assert after(lines, "type Name = Ida")[0] == "_Name_ Ida"
    assert after(lines, "type Code = 77")[1] == "_*Code_ 77"
    assert after(lines, "tap Wi-Fi")[2] == "(x) Wi-Fi | off"
    assert after(lines, "tap B")[3:] == ("(.) A", "(o) B")
    assert after(lines, "back") == lines
