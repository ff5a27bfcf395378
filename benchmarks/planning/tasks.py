"""P4, P5: DroidTask: on maps of the exploration and of the other tasks, is the last screen known, is there a way to it,
and is it found by the words of the instruction?"""

import statistics
from collections.abc import Iterator
from pathlib import Path

from benchmarks.planning.rows import Missing, Row, share, tell
from vsalang.agents.maps import EMPTY, UTG, Navigator, Reader, Screen, ranked, route, select
from vsalang.agents.maps.logs import recording_of
from vsalang.agents.maps.recording import recorded
from vsalang.agents.walks import Walk, read_walks


def _folder(data: Path) -> Path:
    folder = data / "trajectories" / "droidtask"
    if not folder.is_dir():
        raise Missing(f"no recorded tasks in {folder}")
    return folder


def tasks(data: Path) -> Iterator[Row]:
    """P4: one task left out of the map."""
    cases = list(_left_out(_folder(data), data))
    for nearly in (False, True):
        known = there = wanted = planned = 0
        lengths, by_hand = [], []
        for utg, ends, acted in cases:
            navigator = Navigator(utg, ())
            begin, end = (navigator.placed(each) if nearly else each for each in ends)
            if end.name not in utg.screens:
                continue
            known += 1
            if begin.name == end.name:
                there += 1
                continue
            wanted += 1
            found = route(utg, begin.name, [end.name]).ways
            if found:
                planned += 1
                lengths.append(len(found[0].steps))
                by_hand.append(acted - 1)
        means = f"{statistics.mean(lengths):.2f} steps on average, {statistics.mean(by_hand):.2f} by hand"
        if nearly:
            asked = "DroidTask, map of exploration and other tasks: the last screen is known, as hints know screens"
            yield Row("P4", asked, "95 of 111", f"{known} of {len(cases)}", known >= 95)
            asked = "the same: a way to it, where one is not there at once"
            yield Row("P4", asked, "all", f"{planned} of {wanted}; {means}", planned == wanted)
        else:
            yield Row(
                "P4",
                "only screens that are known exactly",
                "",
                f"{known} of {len(cases)}; {planned} of {wanted} ways; {means}",
            )


def _acted(walk: Walk) -> list[Screen]:
    """The screens on which something was done, as a map knows them."""
    reader = Reader()
    taken = [walk.taken(index) for index in range(len(walk.steps))]
    return [
        reader.screen(each.screen, "")
        for each in taken
        if each.screen is not None and any(action.name != "finish" for action in each.actions)
    ]


def _left_out(folder: Path, data: Path) -> Iterator[tuple[UTG, tuple[Screen, Screen], int]]:
    """For each task the map without it, its first and last screen, and how many steps were made by hand."""
    for path in sorted(folder.glob("*.jsonl.gz")):
        explored = data / "utg" / f"droidtask_{path.name.split('.')[0]}"
        if explored.is_dir():
            tell(f"P4: {path.name}")
            for walk, utg in _maps(path, recording_map(explored)):
                acted = _acted(walk)
                if acted:
                    yield utg, (acted[0], acted[-1]), len(acted)


def recording_map(explored: Path) -> UTG:
    return EMPTY.learn(recording_of(explored)[0], "log") if explored.is_dir() else EMPTY


def _maps(path: Path, known: UTG) -> Iterator[tuple[Walk, UTG]]:
    """Each task with the map of what is known and of the other tasks."""
    walks = read_walks(path)
    parts = [recorded([walk], Reader()) for walk in walks]
    for number, walk in enumerate(walks):
        utg = known
        for index, other in enumerate(parts):
            if index != number:
                utg = utg.learn(other, "log")
        yield walk, utg


def target(data: Path) -> Iterator[Row]:
    """P5 without a spec. The weights of `ranking` and `targets` were chosen on the first, third, .. app."""
    halves: tuple[list[tuple[int, bool]], ...] = ([], [])
    for app, path in enumerate(sorted(_folder(data).glob("*.jsonl.gz"))):
        tell(f"P5: {path.name}")
        explored = data / "utg" / f"droidtask_{path.name.split('.')[0]}"
        for walk, utg in _maps(path, recording_map(explored)):
            acted = _acted(walk)
            if not acted or acted[-1].name not in utg.screens:
                continue
            order = [each.screen for each in ranked(walk.task, utg)]
            rank = order.index(acted[-1].name) + 1 if acted[-1].name in order else len(utg.screens)
            halves[app % 2].append((rank, bool(select(walk.task, utg))))
    both = halves[0] + halves[1]
    for asked, ranks, wanted in (
        (
            f"the screen by the words of the instruction, {len(both)} tasks: first, among the first five",
            both,
            True,
        ),
        (f"the same, {len(halves[1])} tasks of apps on which no weight was chosen", halves[1], False),
    ):
        first, five = (100 * sum(rank <= k for rank, _ in ranks) / len(ranks) for k in (1, 5))
        sure = [rank == 1 for rank, sure in ranks if sure]
        measured = f"{first:.0f} %, {five:.0f} %; sure of {share(sum(sure), len(sure))} right"
        yield Row(
            "P5",
            asked,
            "55 %, 85 %" if wanted else "",
            measured,
            first >= 55 and five >= 85 if wanted else None,
        )
