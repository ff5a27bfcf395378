"""Measures a fresh set and prints totals, nothing else: ``python -m benchmarks.fresh [--set SET] [--joined]``.

An alarm is a verdict that blocks or asks in a step; warnings and flags are counted apart. Three ways of judging: the
policies alone; with the charter that was written of the instruction; and with its judgement of the instruction, too.
The policies and the charter judge apart and their alarms are joined; with --joined they are one program, as in use, and
the policies alone are not measured. A module that is not there yet is named, and what needs it is left out.

Charters and judgements are those of a model where its answers are kept with the set (`benchmarks.fresh.charters`), else
those of the author. Where a reader's are kept, too, charters are those of after its doubts, as in use; --no-review
leaves it out. With --answers the controls that nobody knows are asked about, as in use with recorded answers, and
totals are printed without them, with them while nobody has accepted them, and after a person has. With --judge a judge
of texts is asked, too, at what carries one; its answers are recorded in the same way.
"""

import argparse
import json
import sys
from collections.abc import Sequence
from typing import Any

from benchmarks.effects.answers import AnswersError, add_options, recorded_model
from benchmarks.fresh import FIRST, NAMES, folder, has_charters, is_open, items, set_of
from benchmarks.fresh.charters import is_reviewed, recording
from benchmarks.fresh.judging import EFFECTS, POLICIES, missing
from benchmarks.fresh.measuring import Measured, Setup, measured
from benchmarks.fresh.totals import WAYS, Result, totals
from benchmarks.kept import DriftError
from benchmarks.planted.make.scenes import SceneError
from vsalang.models.client.language_model import ModelError
from vsalang.program.shares import Share


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, and print totals."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.fresh", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)  # fmt: skip
    parser.add_argument("--set", default=FIRST.name, help=f"{NAMES}, or a folder")
    parser.add_argument("--json", action="store_true", help="print the totals as JSON")
    parser.add_argument("--joined", action="store_true", help="judge by policies and charter in one program")
    parser.add_argument(
        "--half",
        choices=("open", "closed"),
        help="one half of the set: that which was read first, or the other",
    )
    parser.add_argument("--jobs", type=int, default=1, help="so many processes")
    parser.add_argument(
        "--once", action="store_true", help="of the wordings that share a walk judge the first alone"
    )
    parser.add_argument("--judge", action="store_true", help="ask a judge of texts, too, by recorded answers")
    parser.add_argument(
        "--review",
        action=argparse.BooleanOptionalAction,
        help="charters of after a reader looked at them; where its answers are kept if left out",
    )
    add_options(parser)
    options = parser.parse_args(arguments)
    which = set_of(options.set)
    asks = options.answers is not None or options.ask is not None
    if asks and not options.joined:
        parser.error("--answers and --ask need --joined: what is unknown depends on all that is in force")
    if options.judge and not asks:
        parser.error("--judge needs --answers or --ask")
    try:
        place, found = folder(which=which), items(which)
        by_model = recording(which) is not None or not has_charters(which)
        model = recorded_model(options.answers, options.ask)
    except (AnswersError, DriftError, ModelError, SceneError, OSError) as error:
        sys.exit(f"error: {error}")
    if options.half is not None:
        found = tuple(item for item in found if is_open(item) == (options.half == "open"))
    if options.once:
        found = tuple({item.walk: item for item in reversed(found)}.values())
    absent = missing()
    for name in absent:
        print(f"{name} is not there: what needs it is left out", file=sys.stderr)
    with_policies, with_charters = POLICIES not in absent, EFFECTS not in absent
    if options.joined and absent:
        sys.exit("error: --joined needs all of them")
    if not with_policies and not with_charters:
        sys.exit("error: there is nothing to measure with")
    writer = which if by_model else None
    review = is_reviewed(which) if options.review is None else options.review
    setup = Setup(place, with_policies, with_charters, options.joined, writer, model, options.judge, review)
    made = measured(found, setup, jobs=options.jobs)
    if model is not None:
        print(made.tally.said(len(model.answers)), file=sys.stderr)
    counts = _counts(made, made.results, options.joined) | {"missing": list(absent)}
    with_answers = {"with answers": made.answered, "with accepted answers": made.accepted}
    if options.judge:
        with_answers["with accepted answers, and a judge of texts"] = made.judged
    more = {name: _counts(made, results, options.joined) for name, results in with_answers.items()}
    if options.answers is None:
        more = {}
    if options.json:
        print(json.dumps(counts | more, default=_share, indent=1))
        return
    print(_text(counts))
    for name, answered in more.items():
        print(f"\n======== {name} about unknown controls\n{_text(answered)}")


def _counts(made: Measured, results: Sequence[Result], joined: bool) -> dict[str, Any]:
    counts = totals(results) | {"unwritten": made.unwritten, "stale": made.stale}
    if joined:
        counts[WAYS[0]] = {}
    return counts


def _share(value: Any) -> Any:
    if isinstance(value, Share):
        return value.data()
    raise TypeError(type(value).__name__)


def _text(counts: dict[str, Any]) -> str:
    lines = [f"{counts['items']} items; {counts['problems']} could not be judged"]
    if counts.get("unwritten"):
        lines.append(f"{counts['unwritten']} items have no charter yet and are left out")
    if counts.get("stale"):
        lines.append(f"{counts['stale']} answers with charters were given after another prompt")
    for way in WAYS:
        for title, table in counts[way].items():
            if not table:
                continue
            lines.append(f"\n== {way}: {title}")
            for row in table:
                lines.append(row["row"])
                lines += [f"    {group:<14} {_said(share)}" for group, share in row["shares"].items()]
    return "\n".join(lines)


def _said(share: Share) -> str:
    value, low, high = (100 * part for part in (share.value or 0, share.low, share.high))
    return f"{share.hits:4} of {share.of:<4} {value:5.1f} % [{low:.1f}, {high:.1f}]"


if __name__ == "__main__":
    main()
