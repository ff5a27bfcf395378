"""The data of a draft of an app: proposed screens, steps, cells and lists, with their counts."""

from vsalang.agents.maps.mining import Control
from vsalang.agents.maps.signatures import Signature
from vsalang.base.records import dataclass


@dataclass(frozen=True, slots=True)
class Label:
    """What a model calls a proposed screen, view or list.

    Attributes:
        name: a valid one.
        doc: what it is, in one line. Untrusted.
        by: the model.
        before: the name that was made of ids.
    """

    name: str
    doc: str
    by: str
    before: str


@dataclass(frozen=True, slots=True)
class Condition:
    """What the screen before showed: a node with this id, and text or check mark if they are given; or none."""

    id: str
    text: str = ""
    checked: bool | None = None
    absent: bool = False


@dataclass(frozen=True, slots=True)
class Way:
    """A proposed `goto`: a gesture on a screen, and where it led.

    Attributes:
        gesture: ``tap``, ``long_press``, ``back``.
        control: what it is done to; None: to nothing.
        many: whether several widgets of a screen fit the description (rows).
        tried, worked: how often it was made, how often it led there.
        places: some of the steps in which it worked.
    """

    source: str
    gesture: str
    control: Control | None
    when: Condition | None
    target: str
    tried: int
    worked: int
    many: bool
    places: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Field:
    """A proposed cell of a view: the text, or the check mark, of the one node with this id.

    Attributes:
        values: how many different ones were seen.
        seen: on how many looks.
    """

    id: str
    kind: str
    values: int
    seen: int


@dataclass(frozen=True, slots=True, order=True)
class Part:
    """A proposed cell of a list.

    Attributes:
        id: of a node in the row; empty: the row itself.
        attribute: of the node: ``text``, ``checked``, ``enabled`` or ``selected``.
    """

    id: str
    attribute: str


@dataclass(frozen=True, slots=True)
class Rows:
    """A proposed list: the children of the node with the id `list`, and what in them differs from row to row.

    Attributes:
        most: rows at most on one look.
        seen: on how many looks it showed.
        filtered: a field, a tab, a chip or a spinner showed next to it, that may choose which rows show.
    """

    list: str
    parts: tuple[Part, ...]
    most: int
    seen: int
    label: Label | None = None
    filtered: bool = False


@dataclass(frozen=True, slots=True)
class Kind:
    """A proposed screen.

    Attributes:
        signature: None: a module declares it.
        over: the screens from which one came to it, and to which one went back.
        seen: on how many looks it showed.
        places: some of them.
        texts: some of what was to be read. Untrusted.
        label, view: what a model calls it, and its view.
    """

    name: str
    signature: Signature | None
    over: tuple[str, ...]
    seen: int
    places: tuple[str, ...]
    texts: tuple[str, ...]
    fields: tuple[Field, ...]
    rows: tuple[Rows, ...]
    label: Label | None = None
    view: Label | None = None


@dataclass(frozen=True, slots=True)
class Draft:
    """What is proposed for one app.

    Attributes:
        looks: how many there were of the app.
        named: of how many it is known which screen they are.
        unsettled: steps that were left out.
    """

    package: str
    kinds: tuple[Kind, ...]
    ways: tuple[Way, ...]
    looks: int
    named: int
    tries: int
    unsettled: int
