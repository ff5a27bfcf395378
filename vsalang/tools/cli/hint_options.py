"""The options by which a command tells an agent its next steps on a map, and writes the corrected map."""

from typing import TYPE_CHECKING

from vsalang.base.options import flag, option
from vsalang.base.records import dataclass
from vsalang.program.ir import Program
from vsalang.tools.cli.common import Failure
from vsalang.tools.cli.output import refuse_to_lose, refuse_to_replace

if TYPE_CHECKING:
    from vsalang.agents.session.step_hints import Hints


@dataclass(frozen=True, slots=True)
class HintOptions:
    """On which map the agent is told its next steps.

    Attributes:
        sources: maps, or app modules.
        goals: the screens to come to; empty: those that the spec is about.
        output: where the corrected map is written at the end.
        force: whether that file is replaced.
    """

    sources: tuple[str, ...] = option(
        "--plan",
        default=(),
        metavar="MAP",
        help="Tell the agent its next steps on this map (.utg.json, or an app module); repeatable. It permits nothing.",
    )
    goals: tuple[str, ...] = option(
        "--goal",
        default=(),
        metavar="SCREEN",
        help="With --plan: the screen to come to; repeatable.",
        default_text="those that SPEC is about",
        needs="--plan",
    )
    output: str | None = option(
        "--plan-out",
        metavar="FILE",
        help="With --plan: at the end write the map, corrected by what was seen.",
        needs="--plan",
    )
    force: bool = flag("--force", help="Replace the file of --plan-out if it exists.", needs="--plan-out")

    def check(self) -> None:
        """See that the map can be written, before anything happens.

        Raises:
            Failure: it cannot.
        """
        if self.output is not None:
            from vsalang.agents.maps.jsonform import SUFFIX  # maps: only where hints are written

            if not self.output.endswith(SUFFIX):
                raise Failure(f"{self.output} is not a name of a map", f"maps are called NAME{SUFFIX}")
            refuse_to_replace(self.output, self.force)
            refuse_to_lose(self.output, ())  # the map itself may be replaced by the corrected one

    def hints(self, program: Program, *, machine: bool) -> "Hints | None":
        """The hints of a session of a program; None: none are wanted.

        Raises:
            Failure: the map cannot be used, or it is not sure which screen is meant.
        """
        if not self.sources:
            return None
        from vsalang.tools.cli.hinting import hints_on  # maps

        return hints_on(self.sources, self.goals, program)

    def write(self, hints: "Hints | None") -> None:
        """Write the corrected map, if that is wanted. Raises `Failure` if it cannot be."""
        if hints is None or self.output is None:
            return
        from vsalang.tools.cli.hinting import write_corrected  # maps

        write_corrected(hints, self.output, replaces=self.force)
