"""Which of an evaluator's inputs a program reads, and what they hold before anything is assigned."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from vsalang.base.records import dataclass
from vsalang.engine.api import Input, InputKind, Row
from vsalang.guard.world.beliefs import BELIEVED, EMPTY
from vsalang.guard.world.rule_book import RuleBook
from vsalang.program.ir import TEXT, Program, Relation
from vsalang.program.screen_rules import screen_relation
from vsalang.program.vocabulary import PROPOSED

_SET_BY_GUARD = frozenset({"Charter", "Clock", "Instruction", "Screen", *PROPOSED})

CLOCK: Final = Input("Clock")
GOTO: Final = Input("Goto")
OVERRIDDEN: Final = Input("Overridden")
TYPED: Final = Input("Typed")
INSTRUCTION: Final = Input("Instruction")
LICENSED: Final = Input("Licensed")
CHARTER: Final = Input("Charter")

NO_ROWS: Final[frozenset[Row]] = frozenset()


@dataclass(frozen=True, slots=True)
class ProgramInputs:
    """The inputs of the evaluators of a program; of some kinds only those that it reads. Made once for all sessions.

    Attributes:
        believed: of each believed relation its rows, and ``before``, ``complete``, ``timestamps``, ``last_seen`` of it.
        test_inputs: the inputs by which a test says which screen of an app shows, with the app.
        observed: the relations of screens that rules read, each with its ``timestamps``.
        gestures: those that rules read.
        actions: those that rules read, each with its ``commits`` and ``exhausted``.
        showing: of each screen ``shown`` and ``timestamps``.
        written: of each action and gesture the attributes that are texts which the agent writes.
        empty: what is held where nothing was assigned yet.
    """

    believed: Mapping[str, tuple[Input, Input | None, Input | None, Input | None, Input | None]]
    test_inputs: Mapping[Input, str]
    observed: Sequence[tuple[Relation, Input | None]]
    gestures: Mapping[str, Relation]
    actions: Mapping[str, tuple[Input | None, Input | None]]
    screens: Sequence[Relation]
    showing: Mapping[str, tuple[Input | None, Input | None]]
    goto: Relation | None
    clock: Relation | None
    overridden: bool
    typing: Relation | None
    written: Mapping[str, tuple[str, ...]]
    instruction: Relation | None
    licensed: Relation | None
    charter: Relation | None
    empty: "Mapping[str | Input, Any]"

    @classmethod
    def of(cls, program: Program, book: RuleBook, inputs: frozenset[Input] | None) -> "ProgramInputs":
        """The inputs of a program.

        Args:
            inputs: those that the evaluator reads; None: it does not say.
        """
        read, relations = book.read, program.relations

        def used(name: str, kind: InputKind) -> Input | None:
            input_ = Input(name, kind)
            return input_ if inputs is None or input_ in inputs else None

        timestamped = book.ordered & relations.keys()
        believed = {
            name: (
                Input(name),
                used(name, "before"),
                used(name, "complete"),
                used(name, "timestamps") if name in timestamped else None,
                used(name, "last_seen") if relations[name].sort == "list" else None,
            )
            for name in sorted(relations)
            if relations[name].sort in BELIEVED
        }
        test_inputs = {
            Input(screen_relation(name)): name
            for name in program.modules
            if screen_relation(name) in relations
        }
        actions = {
            r.name: (used(r.name, "commits"), used(r.name, "exhausted"))
            for r in relations.values()
            if r.sort == "action" and r.name in read
        }
        screens = [r for r in relations.values() if r.sort == "screen"]
        empty: dict[str | Input, Any] = {
            "a screen": (None, 0),
            "given screens": (frozenset(), 0),
            "gesture": None,
            "actions": [],
            "typing": {"gesture": (), "actions": ()},
            **dict.fromkeys(believed, (EMPTY, EMPTY)),
            **dict.fromkeys((GOTO, OVERRIDDEN, TYPED, INSTRUCTION, LICENSED, CHARTER), NO_ROWS),
        }
        for done, used_up in actions.values():
            empty |= {done: ()} if done else {}
            empty |= {used_up: NO_ROWS} if used_up else {}
        return cls(
            believed,
            test_inputs,
            [
                (relations[name], used(name, "timestamps") if name in timestamped else None)
                for name in sorted(read & relations.keys())
                if relations[name].sort == "observed"
                and name not in _SET_BY_GUARD
                and Input(name) not in test_inputs
            ],
            {r.name: r for r in relations.values() if r.sort == "gesture" and r.name in read},
            actions,
            screens,
            {r.name: (used(r.name, "shown"), used(r.name, "timestamps")) for r in screens},
            relations.get("Goto"),
            relations.get("Clock"),
            "Overridden" in relations,
            relations["Typed"] if "Typed" in read and "Typed" in relations else None,
            {
                r.name: tuple(attr.name for attr in r.attrs if attr.type == TEXT)
                if r.sort == "action"
                else (("value",) if r.name == "input_text" else ())
                for r in relations.values()
                if r.sort in ("action", "gesture")
            },
            relations.get("Instruction") if "Instruction" in read else None,
            relations.get("Licensed") if "Licensed" in read else None,
            relations.get("Charter") if "Charter" in read else None,
            empty,
        )


def inputs_of(program: Program, book: RuleBook, inputs: frozenset[Input] | None) -> ProgramInputs:
    """The inputs of a program, made once for each set of inputs that an evaluator reads; see `ProgramInputs.of`."""
    made = book.inputs.get(inputs)
    if not isinstance(made, ProgramInputs):
        made = book.inputs[inputs] = ProgramInputs.of(program, book, inputs)
    return made
