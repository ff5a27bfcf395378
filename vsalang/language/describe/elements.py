"""Describes conditions on elements of the screen: the elements by their ids, and which of their texts is read."""

from collections import Counter
from collections.abc import Callable, Iterable

from vsalang.language.describe.values import quoted
from vsalang.program.ir import Atom, Const, Constraint, Program, Var
from vsalang.program.text import line

_ELEMENTS = ("Node", "Part")
_TOUCHED = {
    "tap": ("taps", "tapped"), "double_tap": ("taps twice on", "tapped"), "long_press": ("presses long on", "pressed"),
    "input_text": ("types into", "typed into"), "clear_text": ("clears", "cleared"),
    "scroll": ("scrolls", "scrolled"), "swipe": ("swipes over", "swiped"),
}  # fmt: skip
_READ = {
    "desc": "description", "resource_id": "whole id", "left": "left edge", "top": "top edge", "right": "right edge",
    "bottom": "bottom edge", "hint": "prompt",
}  # fmt: skip
_PLACED = {
    "Inside": ("node", "of"), "Next": ("node", "next"), "Caption": ("control", "text"), "Band": ("control", "node"),
    "TextIn": ("of", "text"), "Fits": ("node", ""), "Whole": ("node", ""),
}  # fmt: skip
_PAIRS = {
    "Inside": ("{} lies inside {}", "{} does not lie inside {}"),
    "Next": ("right after {} comes {}", "what comes right after {} is not {}"),
    "Band": ("on the line of {} stands {}", "on the line of {} does not stand {}"),
}
_ALONE = {
    "Fits": ("is wholly shown", "is not wholly shown"),
    "Whole": ("is not cut off", "is not known to be whole"),
}


def is_element(relation: str) -> bool:
    """Whether a relation is about elements of the screen and their places."""
    return relation in _ELEMENTS or relation in _TOUCHED or relation in _PLACED


class Elements:
    """The elements of the screen that one rule mentions.

    Args:
        atoms: of its body, each with whether it binds its variables.
        home: whether a constraint gives its variable the value.
        describe: the name of a variable that gets its value elsewhere, such as in the head.
        uses: how often the rule mentions each variable.

    Attributes:
        names: the names of the variables of elements: ``the text of "slot_time"``.
    """

    def __init__(
        self,
        program: Program,
        atoms: Iterable[tuple[Atom, bool]],
        home: Callable[[Constraint], bool],
        describe: Callable[[str], str],
        uses: Counter[str],
    ) -> None:
        self._program = program
        self._home = home
        self._describe = describe
        self._uses = uses
        self.names: dict[str, str] = {}
        self._called: dict[int, str] = {}
        self._letters = 0
        elements = [a for a, binds in atoms if binds and not a.before and is_element(a.relation)]
        self._ids = Counter(_id(atom) for atom in elements)
        for atom in elements:
            if atom.relation in _PLACED:
                self._place(atom)
            else:
                self._element(atom)

    def _letter(self) -> str:
        self._letters += 1
        return "element " + (chr(64 + self._letters) if self._letters <= 26 else str(self._letters))

    def _element(self, atom: Atom) -> None:
        node = next((c for c in atom.constraints if c.attr == "node" and c.op == "="), None)
        own = [
            c
            for c in atom.constraints
            if isinstance(c.term, Var) and c.op == "=" and self._home(c) and self._uses[c.term.name] > 1
        ]
        id_ = _id(atom)
        if node is not None and isinstance(node.term, Var) and not self._home(node):
            name = self.name(node.term.name)
        elif id_ and self._ids[id_] == 1:
            name = quoted(id_)
        elif atom.relation in _TOUCHED:
            name = f"the element {_TOUCHED[atom.relation][1]}"
        elif own:
            name = self._called[id(atom)] = self._letter()
        else:
            return
        relation = self._program.relations[atom.relation]
        for c in own:
            assert isinstance(c.term, Var)
            attr = next((a for a in relation.attrs if a.name == c.attr), None)
            if c.attr == "node":
                text = name
            elif c.attr == "value":
                text = "the typed text"
            elif attr is not None and attr.type.kind == "Bool":
                text = _whether(line(attr.doc).strip().rstrip("."), name)
            elif c.attr == "of":
                text = self._called.setdefault(id(c), self._letter())
            else:
                text = f"the {_READ.get(c.attr, c.attr.replace('_', ' '))} of {name}"
            self.names[c.term.name] = text

    def touched(self, variable: str, noun: str) -> bool:
        """Whether a variable is an attribute of the gesture's own element, so that ``the same package`` is clear."""
        return self.names.get(variable, "") in {
            f"the {noun} of the element {past}" for _, past in _TOUCHED.values()
        }

    def _place(self, atom: Atom) -> None:
        first, second = _PLACED[atom.relation]
        by = {c.attr: c for c in atom.constraints if c.op == "=" and isinstance(c.term, Var)}
        for attr in (first, second):
            c = by.get(attr)
            if c is None or not self._home(c) or not isinstance(c.term, Var) or attr == "text":
                continue
            self.names[c.term.name] = self._letter()
        c = by.get("text")
        if c is not None and isinstance(c.term, Var) and self._home(c) and first in by:
            owner = by[first].term
            assert isinstance(owner, Var)
            what = "caption" if atom.relation == "Caption" else "text inside"
            self.names[c.term.name] = (
                f"the {what} of {self.name(owner.name)}"
                if what == "caption"
                else f"the {_nth(atom)}text inside {self.name(owner.name)}"
            )

    def name(self, variable: str) -> str:
        """The name of a variable, as a phrase."""
        return self.names.get(variable) or self._describe(variable)

    # ------------------------------------------------------------ phrases

    def phrase(
        self,
        atom: Atom,
        neg: bool,
        be: str,
        plain: bool,
        rest: Callable[[tuple[Constraint, ...]], str],
    ) -> str | None:
        """An atom as a clause; None if this module has no words for it.

        Args:
            be: ``is`` or ``was``.
            plain: a "no" that means "none is seen".
            rest: says the constraints that are left: `` with text "x"``.
        """
        if atom.relation in _PLACED:
            return self._placed(atom, neg) if be == "is" else None
        left = tuple(c for c in atom.constraints if not self._is_said(c, atom))
        if atom.relation in _TOUCHED:
            return None if neg else f"the agent {_TOUCHED[atom.relation][0]} {self._object(atom, left, rest)}"
        by = {c.attr: c for c in atom.constraints if c.op == "=" and isinstance(c.term, Var)}
        inside = by.get("of") or by.get("parent")
        where = ""
        if inside is not None and isinstance(inside.term, Var) and not self._home(inside):
            left = tuple(c for c in left if c is not inside)
            where = ("" if inside.attr == "of" else "directly ") + f"inside {self.name(inside.term.name)}"
        id_ = _id(atom)
        what = f"element {quoted(id_)}" if id_ else "element"
        if id(atom) in self._called:
            what += f" (call it {self._called[id(atom)]})"
        node = by.get("node")
        subject = ""
        if node is not None and isinstance(node.term, Var) and not self._home(node):
            subject = self.name(node.term.name)
            left = tuple(c for c in left if c is not node)
        more = rest(left) if left else ""
        if subject:
            kind = f"the {what}{more}" if id_ else f"an {what}{more}"
            if kind == "an element" and not where and be == "is":
                return f"{subject} is{' not' if neg else ''} on the screen"
            if where and kind == "an element":
                return f"{subject} {be}{' not' if neg else ''} {where}"
            return f"{subject} {be}{' not' if neg else ''} {kind}{', ' + where if where else ''}"
        lead = f"{where}, " if where else ""
        if neg and plain and be == "is":
            return f"{lead}no {what} is seen{more}"
        return f"{lead}there {be} {'no' if neg else 'an'} {what}{more}"

    def _object(
        self, atom: Atom, left: tuple[Constraint, ...], rest: Callable[[tuple[Constraint, ...]], str]
    ) -> str:
        node = next((c for c in left if c.attr == "node" and c.op == "="), None)
        if node is not None and isinstance(node.term, Var):
            left = tuple(c for c in left if c is not node)
            name = self.name(node.term.name)
            return name + (rest(left) if left else "")
        field = atom.relation in ("input_text", "clear_text")
        id_ = _id(atom)
        what = quoted(id_) if id_ else "a field" if field else "an element"
        return what + (rest(left) if left else "")

    def _is_said(self, c: Constraint, atom: Atom) -> bool:
        """Whether the element's name or that of its variable already says the constraint."""
        if c.attr == "id" and c.op == "=" and isinstance(c.term, Const) and _id(atom) == c.term.value:
            return True
        if not isinstance(c.term, Var) or c.op != "=" or not self._home(c):
            return False
        return c.term.name in self.names or c.attr == "node"  # every element has its number

    def _placed(self, atom: Atom, neg: bool) -> str | None:
        first, second = _PLACED[atom.relation]
        by = {c.attr: c for c in atom.constraints if c.op == "="}
        allowed = {first, second, "nth"} - {""}
        if {c.attr for c in atom.constraints} - allowed or len(by) != len(atom.constraints):
            return None
        subject = self._side(by.get(first))
        if not second:
            return f"{subject} {_ALONE[atom.relation][neg]}"
        if second == "text":
            c = by.get("text")
            what = "caption" if atom.relation == "Caption" else f"{_nth(atom)}text inside it"
            if c is None or (isinstance(c.term, Var) and self._home(c)):
                article = "an" if what[:1] in "aeiou" else "a"
                return f"{subject} has {'no' if neg else article} {what}"
            if isinstance(c.term, Const) and isinstance(c.term.value, str):
                text = quoted(c.term.value)
            elif isinstance(c.term, Var):
                text = self.name(c.term.name)
            else:
                return None
            what = f"caption of {subject}" if what == "caption" else f"{_nth(atom)}text inside {subject}"
            return f"the {what} is{' not' if neg else ''} {text}"
        return _PAIRS[atom.relation][neg].format(subject, self._side(by.get(second)))

    def _side(self, c: Constraint | None) -> str:
        if c is None or not isinstance(c.term, Var):
            return "an element"
        if self._home(c):
            name = self.names.get(c.term.name, "")
            return f"an element (call it {name})" if self._uses[c.term.name] > 1 else "another element"
        return self.name(c.term.name)


def _id(atom: Atom) -> str:
    """The id that an atom asks for; empty if it does not ask for exactly one."""
    constraints = [c for c in atom.constraints if c.attr == "id"]
    if len(constraints) == 1 and constraints[0].op == "=" and isinstance(constraints[0].term, Const):
        value = constraints[0].term.value
        return value if isinstance(value, str) else ""
    return ""


def _nth(atom: Atom) -> str:
    c = next((c for c in atom.constraints if c.attr == "nth"), None)
    if c is None or not isinstance(c.term, Const):
        return ""
    return {"1": "first ", "2": "second ", "3": "third "}.get(str(c.term.value), f"{c.term.value}th ")


def _whether(doc: str, name: str) -> str:
    """``whether it is checked`` of an element: ``whether "switch" is checked``."""
    words = [name if word == "it" else word for word in doc.split(" ")]
    return " ".join(words) if words[:1] == ["whether"] else f"whether {name} {' '.join(words)}"
