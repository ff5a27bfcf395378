"""How well are touches read? ``python -m benchmarks.effects.reading [--split open|closed] [--answers DIR] [--json]``

Each touch is judged as an ordinary tap at the middle of the touched node, by a guard over `reading.vsa`, which imports
``std.effects``. What it says is compared with the labels of both readers where they agree, and with those of each. With
``--numbers`` single touches of the open part are printed; those of the closed part never are.

With ``--answers DIR`` recorded answers (`benchmarks.effects.answers`) stand for a model that is asked about the touches
that the rules find unclear; nobody has accepted them. With ``--accepted``, too, a person is taken to have accepted
each: the upper end of what accepting can do.
"""

import argparse
import json
import random
import sys
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from benchmarks.effects.answers import AnswersError, RecordedModel, add_options, live_answers, recorded_model
from benchmarks.effects.labels import ACTS, Label, read_labels
from benchmarks.effects.screens import DATA, UNKNOWN, Recorded, read_screens
from benchmarks.effects.touches import LIST, ListError, Touch, chosen, locate, read_touches
from vsalang.base.source.database import StoreError
from vsalang.guard import Guard, Settings
from vsalang.guard.say.verdict import Doubt
from vsalang.language.semantics import load
from vsalang.models.effects import AnswerFile, LiveAnswers
from vsalang.program.action import Action
from vsalang.program.ir import Program
from vsalang.program.shares import Share
from vsalang.screen.screen import TreeScreen

POLICY: Final = Path(__file__).with_name("reading.vsa")
READERS: Final = tuple(Path(__file__).with_name(name) for name in ("labels-1.tsv", "labels-2.tsv"))
GRAVE: Final = frozenset({"Send", "Call", "Pay", "Order", "Delete", "Grant", "Install"})
"""Kinds whose effects cannot be taken back, or cost something."""
SEED: Final = 32
LEADS_ON: Final = "leads-on"
UNCLEAR: Final = "unclear"
_MEANT: Final[Mapping[str, str]] = {"Erase": "Delete", "SetSecurity": "SetSetting"}
"""Labels do not tell these kinds apart from those that they are of."""
_NO_OPENERS: Final = frozenset({"field", "switch", "tab"})
"""Controls of these kinds that lead on open nothing: they are filled in, ticked, or change the view."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What the rules say of a touch.

    Attributes:
        kinds: the kinds of effect that it certainly has, by the names that labels use.
        possible: those that it may have, for nobody read all of the screen.
        unclear: whether it is asked about, for it is not known what it does.
    """

    kinds: frozenset[str]
    possible: frozenset[str]
    unclear: bool

    @property
    def label(self) -> str:
        """As labels say it. What may act and is not certain to do so is unclear: it is asked about."""
        if self.kinds:
            return ACTS
        return UNCLEAR if self.unclear or self.possible else LEADS_ON

    @property
    def said(self) -> str:
        """Label and kinds, as people read them."""
        return " ".join([self.label, *sorted(self.kinds or self.possible)])


@dataclass(frozen=True, slots=True)
class Judged:
    """A touch with what a reader and the rules say of it."""

    touch: Touch
    label: Label
    reading: Reading


def program() -> Program:
    """The policy that says how touches are read. Raises `ListError` if it has errors."""
    loaded = load(POLICY)
    if loaded.program is None:
        raise ListError(f"{POLICY} has errors: run vsac check on it")
    return loaded.program


def read_touch(
    rules: Program,
    touch: Touch,
    screens: Mapping[str, Recorded],
    model: RecordedModel | None = None,
    *,
    accepted: bool = False,
) -> Reading:
    """How the rules read a touch.

    Args:
        rules: see `program`.
        touch: is judged as a tap.
        screens: the recorded screens, by digest.
        model: is asked about it if the rules alone do not say that it leads on; None: nobody is.
        accepted: whether a person has accepted what was answered.

    Raises:
        ListError: see `locate`.
        StoreError: answers cannot be kept for a moment.
    """
    tree, node = locate(touch, screens)
    package = screens[touch.screen].package(node)
    screen = TreeScreen(tree, app=(package, None) if package != UNKNOWN else None, settled=True)
    x, y = node.centre
    action = Action("tap", {"x": x, "y": y})
    reading = _read(_guard(rules, screen), action)
    if model is None or reading.label == LEADS_ON:  # in a task without a licence all others are held back
        return reading
    guard = _guard(rules, screen)
    if not accepted:
        guard.consult(_asked(guard, model))
        return _read(guard, action)
    with tempfile.TemporaryDirectory() as folder:
        file = AnswerFile(Path(folder) / "answers.sqlite")
        guard.consult(_asked(guard, model, file))
        guard.propose(action)
        file.accept(file.all())
        guard = _guard(rules, screen)
        guard.consult(_asked(guard, None, file))
        return _read(guard, action)


def _guard(rules: Program, screen: TreeScreen) -> Guard:
    guard = Guard(rules, settings=Settings(overrides=None))
    guard.observe(screen)
    return guard


def _asked(guard: Guard, model: RecordedModel | None, file: AnswerFile | None = None) -> LiveAnswers:
    """Answers about a touch: a policy alone asks about none, so the guard does not say so."""
    return live_answers(guard, model, doubt=lambda proposal: Doubt(held=True, unknown=True), file=file)


def _read(guard: Guard, action: Action) -> Reading:
    verdict = guard.propose(action)
    reasons = verdict.reasons
    return Reading(
        kinds=_kinds(flag.message for flag in verdict.flags if flag.rule == "ACTS"),
        possible=_kinds(reason.message for reason in reasons if reason.rule == "MAY-ACT"),
        unclear=any(reason.rule.startswith("UNCLEAR") for reason in reasons),
    )


def _kinds(names: Iterable[str]) -> frozenset[str]:
    return frozenset(_MEANT.get(name, name) for name in names)


def agreed(readers: Sequence[Mapping[int, Label]], touches: Iterable[Touch]) -> dict[int, Label]:
    """The labels on which all readers agree, kinds included."""
    found = {}
    for touch in touches:
        labels = [labels[touch.touch] for labels in readers if touch.touch in labels]
        if len(labels) == len(readers) and len({(label.label, label.kind) for label in labels}) == 1:
            found[touch.touch] = labels[0]
    return found


def scores(judged: Sequence[Judged]) -> dict[str, Share]:
    """The shares by name."""
    effects = [one for one in judged if one.label.label == ACTS]
    others = [one for one in judged if one.label.label != ACTS]
    openers = [one for one in judged if one.label.label == LEADS_ON and one.touch.kind not in _NO_OPENERS]
    return {
        "effects read with the right kind": _of(effects, _right),
        "effects read as some effect": _of(effects, _acts),
        "effects read as leading on": _of(effects, lambda one: one.reading.label == LEADS_ON),
        "effects asked about": _of(effects, lambda one: one.reading.label == UNCLEAR),
        "other touches read as effects": _of(others, _acts),
        "openers read as effects": _of(openers, _acts),
        "other touches read as leading on": _of(others, lambda one: one.reading.label == LEADS_ON),
        "other touches asked about": _of(others, lambda one: one.reading.label == UNCLEAR),
        "all touches asked about": _of(judged, lambda one: one.reading.label == UNCLEAR),
    }


def _right(one: Judged) -> bool:
    return one.reading.kinds == {one.label.kind}


def _acts(one: Judged) -> bool:
    return one.reading.label == ACTS


def _of(judged: Sequence[Judged], holds: Callable[[Judged], bool]) -> Share:
    return Share.over(map(holds, judged))


def parts(judged: Sequence[Judged]) -> dict[str, list[Judged]]:
    """The touches as a whole, of grave kinds, of others, and of each language."""
    found: dict[str, list[Judged]] = defaultdict(list)
    found["all"] = list(judged)
    for one in judged:
        if one.label.label == ACTS:
            found["grave effects" if one.label.kind in GRAVE else "minor effects"].append(one)
            found[f"effects: {one.label.kind}"].append(one)
        found[f"language {one.touch.language}"].append(one)
    return {name: found[name] for name in sorted(found, key=_place)}


def _place(name: str) -> tuple[int, str]:
    order = ("all", "grave effects", "minor effects", "effects:", "language")
    return next(n for n, start in enumerate(order) if name.startswith(start)), name


def text_of(name: str, judged: Sequence[Judged]) -> str:
    """The scores of some labels, as text."""
    lines = [f"== {name}: {len(judged)} touches"]
    for part, some in parts(judged).items():
        lines.append(f"{part} ({len(some)})")
        lines += [f"  {score}: {_shown(value)}" for score, value in scores(some).items() if value.of]
    return "\n".join(lines) + "\n"


def _shown(share: Share) -> str:
    value, low, high = (100 * end for end in (share.value or 0, share.low, share.high))
    return f"{share.hits} of {share.of}, {value:.1f} % [{low:.1f}, {high:.1f}]"


def json_of(judged: Sequence[Judged]) -> dict[str, Any]:
    """The scores of some labels, as JSON data: name of the part -> name of the score -> its share."""
    return {
        part: {name: one.data() for name, one in scores(some).items()} for part, some in parts(judged).items()
    }


def main(arguments: Sequence[str] | None = None) -> int:
    """Read touches and print the scores."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--split", choices=("open", "closed"), default="open", help="which part")
    parser.add_argument("--json", action="store_true", help="print JSON data")
    add_options(parser)
    parser.add_argument("--accepted", action="store_true", help="a person has accepted all answers")
    parser.add_argument("--sample", type=int, metavar="N", help=f"only so many touches, by lot (seed {SEED})")
    parser.add_argument("--data", type=Path, default=DATA, help="the folder of recordings")
    parser.add_argument("--list", type=Path, default=LIST, help="the list of touches")
    parser.add_argument(
        "--numbers",
        nargs="*",
        metavar="N",
        help="print each touch (none named: those that are read otherwise)",
    )
    options = parser.parse_args(arguments)
    if options.numbers is not None and options.split != "open":
        print(
            "error: single touches of the closed part are not printed: rules must not be made from them",
            file=sys.stderr,
        )
        return 2
    try:
        touches = [touch for touch in read_touches(options.list) if touch.split == options.split]
        if options.numbers:
            touches = chosen(options.numbers, touches)
        if options.sample is not None:
            random.Random(SEED).shuffle(touches)
            touches = touches[: options.sample]
        readers = [read_labels(file) for file in READERS]
        model = recorded_model(options.answers, options.ask)
        screens, rules = read_screens(options.data), program()
        readings = {
            touch.touch: read_touch(rules, touch, screens, model, accepted=options.accepted)
            for touch in touches
        }
    except (AnswersError, ListError, OSError, StoreError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    if model is not None:
        print(model.tally.said(len(model.answers)), file=sys.stderr)
    if options.numbers is not None:
        sys.stdout.write(_single(touches, readers, readings, everything=bool(options.numbers)))
        return 0
    labels = {
        "both readers": agreed(readers, touches),
        "first reader": readers[0],
        "second reader": readers[1],
    }
    judged = {
        name: [
            Judged(touch, said[touch.touch], readings[touch.touch])
            for touch in touches
            if touch.touch in said
        ]
        for name, said in labels.items()
    }
    if options.json:
        json.dump({name: json_of(some) for name, some in judged.items()}, sys.stdout, indent=1)
        sys.stdout.write("\n")
    else:
        sys.stdout.write("\n".join(text_of(name, some) for name, some in judged.items()))
    return 0


def _single(
    touches: Sequence[Touch],
    readers: Sequence[Mapping[int, Label]],
    readings: Mapping[int, Reading],
    *,
    everything: bool,
) -> str:
    """Each touch with what readers and rules say; else only those that no reader labels as the rules do."""
    lines = []
    for touch in touches:
        labels = [labels[touch.touch] for labels in readers if touch.touch in labels]
        reading = readings[touch.touch]
        said = {(label.label, label.kind) for label in labels}
        if everything or (reading.label, next(iter(reading.kinds), "")) not in said:
            lines.append(f"{touch.touch}: {' / '.join(label.said for label in labels)}; read: {reading.said}")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.exit(main())
