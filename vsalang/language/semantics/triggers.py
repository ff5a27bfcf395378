"""Finds the trigger of a rule: a gesture, an action, or a new screen."""

from vsalang.base.diagnostics import Label
from vsalang.language.semantics.report import Report
from vsalang.language.semantics.scope import Scope
from vsalang.language.syntax import tree as t
from vsalang.program import ir
from vsalang.program.vocabulary import VOCABULARY
from vsalang.program.walk import present


class Triggers:
    """Finds the triggers of one module's rules."""

    def __init__(self, scope: Scope, report: Report) -> None:
        self.scope = scope
        self.report = report

    def trigger(self, item: t.Rule, head: ir.Head, body: tuple[ir.Literal, ...]) -> ir.Trigger:
        """The trigger of the rule; reports a missing one, several, and impossible ones."""
        gestures: list[ir.Lit] = []
        actions: list[ir.Lit] = []
        for literal in present(body):
            sort = self._sort_of(literal.atom.relation)
            if sort == "gesture":
                gestures.append(literal)
            elif sort == "action":
                actions.append(literal)
        if len({g.atom.relation for g in gestures}) > 1 or (
            len(gestures) > 1 and isinstance(head, ir.Recognize | ir.Write)
        ):
            self.report.error(
                "E0405",
                gestures[1].span,
                "one proposal is one gesture: two in a body never hold together",
                labels=[Label(gestures[0].span, "the first")] if gestures[0].span else [],
                help="write two rules",
            )
            return "none"
        if not isinstance(head, ir.Write | ir.Mark | ir.Goto | ir.Recognize):
            return "none"
        if isinstance(head, ir.Recognize):
            if not gestures:
                self.report.error(
                    "E0406",
                    item.head.span,
                    "`recognize` says which gesture an action is: there is none before `with`",
                    help="write `when tap(id = ..)` or another gesture",
                )
            return "none"
        if gestures and actions:
            self.report.error(
                "E0405",
                item.span if not actions[0].span else actions[0].span,
                "an effect has one trigger: a gesture (before the check) or an action (when it is committed)",
                labels=[Label(gestures[0].span, "the gesture")] if gestures[0].span else [],
            )
            return "none"
        hidden = "" if gestures or actions else self._hidden(body)
        if isinstance(head, ir.Goto):
            if not gestures and not actions:
                self.report.error(
                    "E0405",
                    item.head.span,
                    "`goto` says where a gesture or an action leads: the body has neither",
                    help=hidden,
                )
            return "none"
        if isinstance(head, ir.Mark):
            if gestures or actions:
                span = (gestures or actions)[0].span
                self.report.error(
                    "E0405", span, "what is complete is seen: a gesture or an action cannot say so"
                )
            return "observation"
        if hidden:
            self.report.error(
                "E0405", item.head.span, "the trigger of this effect hides in a definition", help=hidden
            )
        if (
            not gestures
            and not actions
            and not head.delete
            and any(c.attr == "at" for c in head.atom.constraints)
        ):
            symbol = self.scope.relation_called(head.atom.relation)
            if symbol is not None and symbol.sort == "list":
                self.report.error(
                    "E0404",
                    item.head.span,
                    "an observation does not number rows: it gives the node of the row, and the engine counts",
                    help="write row = ?n instead of at = ..",
                )
        has_row = any(c.attr == "row" for c in head.atom.constraints)
        if has_row and (gestures or actions):
            self.report.error(
                "E0404",
                item.head.span,
                "only an observation knows the node of a row",
                help="name `at` or the key instead",
            )
        return "input" if gestures else "consequence" if actions else "observation"

    def _hidden(self, body: tuple[ir.Literal, ...]) -> str:
        """The help for a gesture that is hidden in a definition of the body; empty if there is none."""
        for literal in body:
            if isinstance(literal, ir.Lit) and not literal.neg and literal.past is None:
                symbol = self.scope.relation_called(literal.atom.relation)
                for rule in symbol.rules if symbol is not None else ():
                    for inner in rule.body:
                        if isinstance(inner, t.Lit) and not inner.neg and inner.past is None:
                            causes = self.scope.find_relation(inner.atom.name.text)
                            if causes and causes[0].sort in ("gesture", "action"):
                                name = symbol.short if symbol is not None else ""
                                return (
                                    f"`{name}` holds the {causes[0].sort} `{causes[0].short}`: write it in this rule, "
                                    f"as its trigger, and let `{name}` say what it is about"
                                )
        return ""

    def _sort_of(self, relation: str) -> str:
        if relation in VOCABULARY:
            return VOCABULARY[relation].sort
        if ":" in relation:
            return "screen"
        symbol = self.scope.relation_called(relation)
        return symbol.sort if symbol is not None else ""
