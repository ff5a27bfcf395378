"""Do two readers agree? ``python -m benchmarks.effects.agreement labels-1.tsv labels-2.tsv``

Printed are the agreement in per cent and Cohen's kappa (agreement beyond chance) of the labels and of labels with
kinds, each kind by itself, and the touches on which the readers differ, to be settled.
"""

import argparse
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from benchmarks.effects.labels import LABELS, Label, read_labels
from benchmarks.effects.touches import LIST, ListError, Touch, read_touches

_PARTS: Final = ("all", "open", "closed")


def kappa(pairs: Sequence[tuple[str, str]]) -> float | None:
    """Cohen's kappa of pairs of answers; None where chance alone gives full agreement, and where there are no pairs."""
    if not pairs:
        return None
    ones, others = Counter(one for one, _ in pairs), Counter(other for _, other in pairs)
    chance = sum(ones[answer] * others[answer] for answer in ones) / len(pairs) ** 2
    if chance == 1:
        return None
    return (sum(one == other for one, other in pairs) / len(pairs) - chance) / (1 - chance)


def report(ones: Mapping[int, Label], others: Mapping[int, Label], touches: Sequence[Touch]) -> str:
    """The agreement of two readers as text, with the differences."""
    both = [touch for touch in touches if touch.touch in ones and touch.touch in others]
    lines = [f"{len(both)} of {len(touches)} touches have two labels"]
    for part in _PARTS:
        here = [(ones[t.touch], others[t.touch]) for t in both if part in ("all", t.split)]
        lines.append(_line(f"{part}: labels", [(one.label, other.label) for one, other in here]))
        lines.append(
            _line(
                f"{part}: labels and kinds", [(f"{a.label} {a.kind}", f"{b.label} {b.kind}") for a, b in here]
            )
        )
    pairs = [(ones[touch.touch], others[touch.touch]) for touch in both]
    lines += ["", f"{'':12} {'first':>6} {'second':>6} {'both':>6}"]
    names = sorted({label.kind for pair in pairs for label in pair if label.kind})
    lines += [_counts(label, [(a.label == label, b.label == label) for a, b in pairs]) for label in LABELS]
    lines += [_counts(kind, [(a.kind == kind, b.kind == kind) for a, b in pairs]) for kind in names]
    different = [(a, b) for a, b in pairs if (a.label, a.kind) != (b.label, b.kind)]
    lines += ["", f"{len(different)} to settle"]
    lines += [f"{a.touch}: {a.said} / {b.said}{_notes(a, b)}" for a, b in different]
    return "\n".join(lines) + "\n"


def _line(name: str, pairs: Sequence[tuple[str, str]]) -> str:
    if not pairs:
        return f"{name}: none"
    value = kappa(pairs)
    same = sum(one == other for one, other in pairs)
    beyond = "not defined" if value is None else f"{value:.2f}"
    return f"{name}: {same} of {len(pairs)} agree, {100 * same / len(pairs):.1f} %, kappa {beyond}"


def _counts(name: str, pairs: Sequence[tuple[bool, bool]]) -> str:
    first, second, both = (
        sum(chosen) for chosen in ([a for a, _ in pairs], [b for _, b in pairs], [a and b for a, b in pairs])
    )
    return f"{name:12} {first:6} {second:6} {both:6}"


def _notes(*labels: Label) -> str:
    notes = " / ".join(label.note for label in labels if label.note)
    return f"  ({notes})" if notes else ""


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the agreement."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("first", type=Path, help="labels of one reader")
    parser.add_argument("second", type=Path, help="labels of the other")
    parser.add_argument("--list", type=Path, default=LIST, help="the list of touches")
    options = parser.parse_args(arguments)
    try:
        text = report(read_labels(options.first), read_labels(options.second), read_touches(options.list))
    except (ListError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    sys.stdout.write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
