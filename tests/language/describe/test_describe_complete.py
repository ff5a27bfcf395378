"""No constraint is silently dropped: every constant and every attribute of a rule is in its description."""

import json
import random
import re

import pytest

from vsalang.language.describe import describe, to_data, to_markdown, to_text
from vsalang.language.describe.nouns import Nouns, truth
from vsalang.language.semantics import load_text

APP = """
state Task key (folder, title) "A task" {
  folder: Text "the folder"  title: Text  due: Date "when"  n: Number "how many"  start: Time "the start"
  wait: Duration  kind: enum {Red, Blue, "Dark green"}  tags: set of Text  done: Bool "ticked off"
}
complete Task() when Node(id = "end").
update Task(folder = ?f, title = ?f) when Node(id = "task", text = ?f).
view Form "What is typed" { title: Text "the typed title"  price: Number  due: Date  start: Time }
update Form(title = ?f) when Node(id = "form", text = ?f).
list Line in (page) "Lines" { page: Text "the page"  title: Text  size: Number "its size"  start: Time }
complete Line(page = ?f) when Node(id = "line", text = ?f).
update Line(row = ?n, page = ?f, title = ?f) when Node(id = "line", node = ?n, text = ?f).
action Save(title: Text, due: Date "the day", n: Number "the amount", tags: set of Text) "Save it"
action Send(title: Text, start: Time)
"""
TYPES = {
    "Task": {"folder": "Text", "title": "Text", "due": "Date", "n": "Number", "start": "Time", "wait": "Duration",
             "kind": "Kind", "tags": "Tags"},
    "Form": {"title": "Text", "price": "Number", "due": "Date", "start": "Time"},
    "Line": {"page": "Text", "title": "Text", "size": "Number", "start": "Time"},
    "Save": {"title": "Text", "due": "Date", "n": "Number", "tags": "Tags"},
    "Send": {"title": "Text", "start": "Time"},
}  # fmt: skip
MONTHS = "January February March April May June July August September October November December".split()


class Maker:
    """Draws rules as text; `said` is what must occur in the description, `asked` the attributes in it."""

    def __init__(self, seed: str) -> None:
        self.random = random.Random(seed)
        self.count = 0
        self.said: list[str] = []
        self.asked: set[tuple[str, str]] = set()

    def pick(self, items):
        return self.random.choice(list(items))

    def constant(self, kind: str) -> str:
        """A constant that occurs nowhere else, as it is written; how it must be said goes to `said`."""
        self.count += 1
        n = self.count
        if kind == "Text":
            self.said.append(f'"t{n}"')
            return f'"t{n}"'
        if kind == "Count":
            self.said.append(str(1000 + n))
            return str(1000 + n)
        if kind == "Number":
            text = self.pick([str(1000 + n), f"-{1000 + n}", f"{1000 + n}.25"])
            self.said.append(text)
            return text
        if kind == "Date":
            day, month = n % 28 + 1, n % 12
            self.said.append(f"{day} {MONTHS[month]} {2001 + n}")
            return f"{2001 + n}-{month + 1:02d}-{day:02d}"
        if kind == "Time":
            text = f"{n % 24:02d}:{self.pick(range(60)):02d}"
            self.said.append(f"({text})")
            return text
        if kind == "Duration":
            self.said.append(f"{60 * n + 7} seconds")
            return f"{60 * n + 7}s"
        member = self.pick(["Red", "Blue", '"Dark green"'])
        self.said.append(member)
        return member

    def constraint(self, relation: str, attr: str) -> str:
        kind = TYPES[relation][attr]
        self.asked.add((relation, attr))
        if kind == "Tags":
            form = self.pick(["contains", "not contains", "=", "subset", "not subset"])
            items = [self.constant("Text") for _ in range(1 if "contains" in form else self.pick([1, 2, 3]))]
            return f"{attr} {form} " + (items[0] if "contains" in form else "{" + ", ".join(items) + "}")
        ops = ["=", "!=", "in", "not in"]
        if kind in ("Number", "Date", "Time", "Duration"):
            ops += ["<", "<=", ">", ">=", "range", "not range"]
        if kind == "Text":
            ops += ["contains", "not contains", "~=", "!~=", "matches", "not matches"]
        op = self.pick(ops)
        if "matches" in op:
            self.count += 1
            self.said.append(f"/^m{self.count}$/")
            return f"{attr} {op} /^m{self.count}$/"
        if "range" in op:
            low, high = self.constant(kind), self.constant(kind)
            if kind in ("Number", "Time"):
                low, high = sorted((low, high), key=lambda t: float(t.replace(":", ".")))
            return f"{attr} {op.replace('range', 'in')} {low}..{high}"
        if op in ("in", "not in"):
            items = dict.fromkeys(self.constant(kind) for _ in range(self.pick([1, 2, 3])))
            return f"{attr} {op} {{{', '.join(items)}}}"
        return f"{attr} {op} {self.constant(kind)}"

    def constraints(self, relation: str, least: int = 1) -> str:
        attrs = self.random.sample(sorted(TYPES[relation]), self.random.randint(least, 2))
        return ", ".join(self.constraint(relation, attr) for attr in attrs)

    def atom(self, relation: str = "") -> str:
        relation = relation or self.pick(["Task", "Form", "Line"])
        inner = self.constraints(relation)
        if relation == "Line" and "page" not in inner:
            self.asked.add(("Line", "page"))
            inner += f", page = {self.constant('Text')}"
        return f"{relation}({inner})"

    def literal(self, form: str) -> str:
        a = self.atom
        match form:
            case "atom" | "no" | "not":
                return ("" if form == "atom" else form + " ") + a()
            case "count":
                return f"count({a()}) {self.pick(['=', '!=', '<', '<=', '>', '>='])} {self.constant('Count')}"
            case "value":
                self.asked.add(("Task", "n"))
                rows = f"{self.pick(['sum', 'min', 'max'])}(n of {a('Task')})"
                return f"{rows} {self.pick(['=', '<=', '>'])} {self.constant('Number')}"
            case "set":
                self.asked.add(("Task", "title"))
                return f"set(title of {a('Task')}) = {{{self.constant('Text')}, {self.constant('Text')}}}"
            case "done count":
                return f"count({a('Send')} earlier) {self.pick(['=', '<=', '>='])} {self.constant('Count')}"
            case "every":
                return f"every {a('Task')} has ({self.constraints('Task')})"
            case "first":
                return f"first 3 {a('Line')}"
            case "first has":
                return f"first 2 {a('Line')} has ({self.constraints('Line')})"
            case "then":
                return f"({a('Form')}, {a('Task')}) then {a('Form')} then {a('Task')}"
            case "earlier":
                return f"{self.pick(['', 'not '])}{a('Send')} earlier"
            case "within":
                return f"{a(self.pick(['Send', 'Task']))} within {self.constant('Duration')}"
            case "for":
                return f"{a()} for {self.constant('Duration')}"
            case "since":
                return f"{a('Form')} since {a(self.pick(['Send', 'Task']))}"
            case "compare":
                self.asked.add(("Task", "n"))
                v = f"v{self.count}"
                return f"Task(n = ?{v}), ?{v} {self.pick(['>', '!=', '<='])} {self.constant('Number')}"
            case "arithmetic":
                self.asked |= {("Task", "n"), ("Form", "price")}
                v, w = f"v{self.count}", f"w{self.count}"
                plus, minus = self.constant("Number"), self.constant("Number")
                return f"Task(n = ?{v}), Form(price = ?{w}), ?{v} * 2 + {plus} < ?{w} - {minus}"
            case "readers":
                self.asked |= {("Form", "title"), ("Form", "due")}
                v, w = f"v{self.count}", f"w{self.count}"
                return (
                    f"Form(title = ?{v}, due = ?{w}), number(?{v}) = {self.constant('Number')}, "
                    f"?{w} > today + {self.constant('Duration').rstrip('s')}d, lower(?{v}) != {self.constant('Text')}, "
                    f"line(?{v}) != {self.constant('Text')}"
                )
            case "define":
                return f"Word(title = {self.constant('Text')})"
        raise AssertionError(form)


FORMS = (
    *"atom no not count value set every first then earlier within for since compare arithmetic readers define".split(),
    "first has",
    "done count",
)


def _unwrapped(text: str) -> str:
    return " ".join(text.split())


def _check(maker: Maker, text: str) -> None:
    loaded = load_text(text, file="x.vsa")
    assert loaded.program is not None, (text, [d.message for d in loaded.diagnostics])
    description = describe(loaded.program)
    plain = _unwrapped(to_text(description))
    data = json.dumps(to_data(description, loaded.sources), ensure_ascii=False)
    markdown = re.sub(r"\\([\\`*_{}\[\]<>#|~&!])", r"\1", _unwrapped(to_markdown(description)))
    said = [item.replace(" seconds", "") if item.endswith(" seconds") else item for item in maker.said]
    for constant in said:
        assert constant in plain, f"{constant} is missing in:\n{text}\n{plain}"
        assert constant in markdown
        assert json.dumps(constant, ensure_ascii=False)[1:-1] in data
    nouns = Nouns(loaded.program.relations.values())
    for name, attr in maker.asked:
        relation = loaded.program.relation(f"trial.{name}")
        assert nouns.attr(relation, attr) in plain, f"{name}.{attr} is missing in:\n{text}\n{plain}"


def _judged(maker: Maker, form: str) -> str:
    """A rule in a module that may judge about its own relations: an app."""
    body = maker.literal(form)
    word = f"define Word(title = ?t) when {maker.atom('Form')}, Task(title = ?t).\n"
    return f'app trial package "com.trial" "Trial"\n{APP}\n{word}deny "no" when {body}, Word(title = "w").\n'


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("seed", range(4))
def test_every_constant_of_a_judgement_is_said(form: str, seed: int) -> None:
    maker = Maker(f"{form} {seed}")
    _check(maker, _judged(maker, form))


CERTAIN = [form for form in FORMS if form not in ("done count",)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    found = tmp_path_factory.mktemp("specs")
    (found / "trial.vsa").write_text(f'app trial package "com.trial" "Trial"\n{APP}\n', encoding="utf-8")
    return found


@pytest.mark.parametrize("form", CERTAIN)
@pytest.mark.parametrize("seed", range(4))
def test_every_constant_of_permissions_and_endings_is_said(folder, form: str, seed: int) -> None:
    maker = Maker(f"{form} {seed}")
    head = maker.constraints("Save")
    quota = maker.pick(["", "3 ", "each ", "1 "])
    text = (
        f'spec x "Do it"\nimport trial\nallow each Send.\nallow {quota}Save({head}) when {maker.literal(form)}.\n'
        f"done when {maker.literal(form)}, Save earlier.\n"
        f"define Word(title = ?t) when {maker.atom('Form')}, Task(title = ?t).\n"
        'define Used when Word(title = "w").\nwarn "{{" when Used.\n'
    )
    loaded = load_text(text, file="x.vsa", path=folder / "x.vsa")
    assert loaded.program is not None, (text, [d.message for d in loaded.diagnostics])
    plain = _unwrapped(to_text(describe(loaded.program)))
    for constant in maker.said:
        said = constant.removesuffix(" seconds")
        assert said in plain, f"{constant} is missing in:\n{text}\n{plain}"
    nouns = Nouns(loaded.program.relations.values())
    for name, attr in maker.asked:
        assert nouns.attr(loaded.program.relation(f"trial.{name}"), attr) in plain


@pytest.mark.parametrize("value", ["true", "false"])
@pytest.mark.parametrize(
    "doc", ["", "whether it works", "whether a seat is free", "ticked off", "the lamp is on"]
)
@pytest.mark.parametrize("name", ["done", "flag", "is_open", "enabled"])
def test_truths_are_told_apart(name: str, doc: str, value: str) -> None:
    def said(chosen: str) -> str:
        loaded = load_text(
            f'app a package "p" "A"\nstate R key (k) {{ k: Text {name}: Bool "{doc}" }}\n'
            f'update R(k = "x", {name} = true) when Node(id = "x").\n'
            f'deny "m" when R(k = "k", {name} = {chosen}).\n'
        )
        assert loaded.program is not None, [d.message for d in loaded.diagnostics]
        attr = loaded.program.relation("a.R").attr(name)
        found = truth(attr)
        (entry,) = next(s for s in describe(loaded.program).sections if s.title == "Rules and checks").entries
        word = found.say(chosen == "true", False) if found else name
        assert word.removeprefix("it ") in entry.sentence
        return entry.sentence

    other = "false" if value == "true" else "true"
    assert said(value) != said(other)
