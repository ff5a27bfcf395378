"""Short titles of rules: the head in a few words."""

from vsalang.program import ir
from vsalang.program.show import short_name
from vsalang.program.vocabulary import is_match


def title(rule: ir.Rule) -> str:
    """The head of a rule without its constraints: ``allow Reserve``, ``screen Details``, ``deny``."""
    head = rule.head
    match head:
        case ir.Derive():
            name = head.atom.relation
            if is_match(name):
                return f"screen {short_name(name)}"
            if name == "Screen":  # made by the checker: the screen that shows, by its name
                return f"show {short_name(rule.id)}"
            return f"show {short_name(name)}" if ":" in name else f"define {short_name(name)}"
        case ir.Recognize():
            return f"recognize {short_name(head.atom.relation)}"
        case ir.Mark():
            return f"{head.kind} {short_name(head.atom.relation)}"
        case ir.Write():
            return f"{'delete' if head.delete else 'update'} {short_name(head.atom.relation)}"
        case ir.Goto():
            return f"goto {short_name(head.screen)}"
        case ir.License():
            if head.atom.relation == "finish":
                return "done"
            quota = {"one": "", "either": "either ", "each": "each ", "count": f"{head.quota.n} "}
            return f"allow {quota[head.quota.kind]}{short_name(head.atom.relation)}"
        case ir.Judge():
            return head.level
        case ir.Expect():
            return "expect"


def comment(text: str) -> str:
    """A text as one line of a comment; nothing in it can end the line."""
    import json

    return " ".join(json.dumps(text, ensure_ascii=False)[1:-1].replace('\\"', '"').splitlines())
