"""``vsac lint --recordings``: asks recordings which `goto` rules of a linted file they refute."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from vsalang.tools.cli.common import Failure, count
from vsalang.tools.cli.progress import telling

if TYPE_CHECKING:
    from collections.abc import Mapping

    from vsalang.language.semantics import Loaded


def refuted_in(
    loaded: "Loaded", recordings: Sequence[str]
) -> "tuple[Mapping[str, tuple[str, ...]], str | None]":
    """The steps that refute `goto` rules of the main module, by the rule's id, and how much the recordings say of it.

    Nothing is read for a file with errors or without `goto` rules of its own.

    Raises:
        Failure: a recording cannot be read.
    """
    from vsalang.program.ir import Goto

    program = loaded.program
    if program is None:
        return {}, None
    own = {
        rule.id
        for rule in program.rules
        if isinstance(rule.head, Goto) and rule.span is not None and rule.span.file == loaded.file
    }
    if not own:
        return {}, None
    from vsalang.agents.maps import UTGError
    from vsalang.agents.maps.refuting import tried
    from vsalang.program.text import line, quote

    try:
        with telling() as tell:
            found = tried(program, [Path(each) for each in recordings], tell)
    except UTGError as error:
        raise Failure(str(error), error.hint or "name recordings, as `vsac record` reads them") from error
    except OSError as error:
        raise Failure(f"cannot read {error.filename}: {(error.strerror or str(error)).lower()}") from error
    steps = {
        rule: tuple(
            f"{line(each.file, 60)}, {each.step}, which led to {quote(line(each.came, 60))}" for each in led
        )
        for rule, led in found.refuted.items()
        if rule in own
    }
    said = (
        f"{line(loaded.file, 80)}: {count(found.moves, 'recorded step')}, "
        f"{len(found.tried & own)} of {count(len(own), '`goto` rule')} tried"
    )
    return steps, said
