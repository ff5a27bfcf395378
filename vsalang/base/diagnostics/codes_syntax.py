"""Codes of reading a file's syntax: ``E01xx``."""

from vsalang.base.diagnostics.code import Code
from vsalang.base.diagnostics.diagnostic import Severity

SYNTAX = (
    Code(
        "E0101",
        "a file has no header",
        "The first line of a file says what it is, and so what it may do: `app`, `spec`, `policy` or `module`, a name, "
        "for an app its packages, and a description. Without it nothing in the file can be judged. An empty file has "
        "this error too.",
        example_bad="allow Reserve.\n",
        example_good='spec reserve "Reserve a table."\nallow Reserve.\n',
    ),
    Code(
        "E0102",
        "a text is never closed",
        'A text begins and ends with `"` on one line. For a text of several lines use `"""` at both ends; its line '
        "breaks and indentation become single blanks.",
        example_bad='spec reserve "Reserve a table.\nallow Reserve.\n',
        example_good='spec reserve "Reserve a table."\nallow Reserve.\n',
    ),
    Code(
        "E0103",
        "brackets or comments do not match",
        "A bracket is opened and never closed, or closes nothing; or a comment `/*` has no `*/`. The bracket that is "
        "alone is underlined; often a neighbour of it was forgotten.",
        example_bad='spec s "Do it."\nallow Reserve(restaurant = "R" when Slot.\n',
        example_good='spec s "Do it."\nallow Reserve(restaurant = "R") when Slot.\n',
    ),
    Code(
        "E0104",
        "brackets are nested too deeply",
        "No condition needs so many brackets in one another, and reading them takes memory. Give a part of it a name "
        "with `define`, or a value a name with `let`.",
        example_bad='spec s "Do it."\nlet X = ' + "(" * 30 + "1" + ")" * 30 + ".\n",
        example_good='spec s "Do it."\nlet X = 1.\n',
    ),
    Code(
        "E0105",
        "a word that cannot begin an item or a step",
        "Every item begins with a keyword that says what its head does: `allow`, `define`, `update`, `deny` and so on, "
        "or a declaration such as `state` or `enum`, or `test`. A relation alone derives nothing: write "
        "`define R(..) when ..`. Steps such as `attempt` are written between the braces of a test.",
        example_bad='spec s "Do it."\nalow Reserve.\n',
        example_good='spec s "Do it."\nallow Reserve.\n',
    ),
    Code(
        "E0106",
        "a period is missing",
        "Rules, `let` and the steps of a test end with a period; a semicolon does not end them. Declarations with "
        "braces, `action`, `import` and the header end without one.",
        example_bad='spec s "Do it."\nallow Reserve when Slot\ndone when Reserve earlier.\n',
        example_good='spec s "Do it."\nallow Reserve when Slot.\ndone when Reserve earlier.\n',
    ),
    Code(
        "E0107",
        "an operator of another language",
        "The operators are `=` `!=` `<` `<=` `>` `>=` `in` `contains` `subset` `matches` `names` `~=`, each also with `not` or "
        "`!`; `known` and `unknown`; and `+ - *`. Conditions are joined by a comma and negated by `not` or `no`.",
        example_bad='spec s "Do it."\nallow Reserve(time <= 19:00) when Slot(free == true) and Open.\n',
        example_good='spec s "Do it."\nallow Reserve(time <= 19:00) when Slot(free = true), Open.\n',
    ),
    Code(
        "E0108",
        "there is no or",
        "A rule has one list of conditions; all of them must hold. For another case write a second rule with the same "
        "head: each says on its own when it holds. For several values of one attribute write `a in {x, y}`.",
        example_bad='spec s "Do it."\ndone when Booked or Closed.\n',
        example_good='spec s "Do it."\ndone when Booked.\ndone when Closed.\n',
    ),
    Code(
        "E0109",
        "something unexpected",
        "The text does not follow the grammar here, and it is not a habit of another language that has a code of its own. The "
        "label names what may be in this place: something else is there, or nothing, as where a value is missing "
        "behind an operator or a condition behind a comma. The mistake is at the place that is underlined or right before "
        "it.",
        example_bad='spec s "Do it."\nallow Reserve(time < ).\n',
        example_good='spec s "Do it."\nallow Reserve(time < 19:00).\n',
    ),
    Code(
        "E0110",
        "a text holds what it cannot hold",
        'Texts are written as in JSON: `\\"` `\\\\` `\\/` `\\b` `\\f` `\\n` `\\r` `\\t` and `\\u` with four hexadecimal '
        "digits; a control character must be written so, and a backslash is written twice.",
        example_bad='spec s "Do it."\nallow Open(path = "C:\\Users").\n',
        example_good='spec s "Do it."\nallow Open(path = "C:\\\\Users").\n',
    ),
    Code(
        "E0111",
        "an invalid number",
        "A number is written with digits and perhaps a point, `7` or `-4.5`: no leading zero, no exponent. What only "
        "looks like a number (a code, a phone number) is a text and is written in quotes.",
        example_bad='spec s "Do it."\nallow Call(number = 0049).\n',
        example_good='spec s "Do it."\nallow Call(number = "0049").\n',
    ),
    Code(
        "E0112",
        "an invalid duration",
        "A duration is one number and one unit, without a blank: `30s`, `0.5s`, `5min`, `2h`, `3d`.",
        example_bad='spec s "Do it."\nallow StartTimer(length = 5m).\n',
        example_good='spec s "Do it."\nallow StartTimer(length = 5min).\n',
    ),
    Code(
        "E0113",
        "an invalid date or time",
        "Dates are written `2026-04-01` and times `19:00` or `19:00:30`, with two digits each and times below 24:00, "
        "so that nothing has two readings.",
        example_bad='spec s "Do it."\nallow Reserve(time < 7pm).\n',
        example_good='spec s "Do it."\nallow Reserve(time < 19:00).\n',
    ),
    Code(
        "E0114",
        "a flag that regular expressions do not have",
        "The only flag is `i`, which ignores case: `/total: .*/i`.",
        example_bad='spec s "Do it."\ndone when Result(text matches /ok/g).\n',
        example_good='spec s "Do it."\ndone when Result(text matches /ok/).\n',
    ),
    Code(
        "E0115",
        "a keyword in a name's place",
        "Keywords cannot name constants. As a member of an enum a keyword is written in quotes. Attributes, parameters and "
        "modules may be called as one likes.",
        example_bad='spec s "Do it."\ndone when Task(status = done).\n',
        example_good='spec s "Do it."\ndone when Task(status = "done").\n',
    ),
    Code(
        "E0116",
        "parts that do not go together",
        "Each part is right and they do not fit: a range belongs to `in`, a regular expression to `matches`, `with` to "
        "`recognize`, `..` to the head of `update`, a group in parentheses before `then`; an aggregate is on the "
        "left of a comparison, and counts rows (`count(A)`) or takes an attribute (`sum(a of A)`).",
        example_bad='spec s "Do it."\nallow Pay(amount = 1..5).\n',
        example_good='spec s "Do it."\nallow Pay(amount in 1..5).\n',
    ),
    Code(
        "E0117",
        "an expression is too long",
        "Hundreds of values joined by operators, or of parts joined by `then`, are surely generated by mistake, and "
        "reading them takes memory. Name parts with `define` or `let`.",
        example_bad='spec s "Do it."\nlet X = ' + "1 + " * 300 + "1.\n",
        example_good='spec s "Do it."\nlet X = 301.\n',
    ),
    Code(
        "E0118",
        "a declaration has not this clause",
        "`on` says on which screens a view lives; `in` which values identify a list; `key` what identifies the rows of a "
        "state or list.",
        example_bad='app a package "a"\nstate Booking on Receipt { date: Date }\n',
        example_good='app a package "a"\nview Booking on Receipt { date: Date }\n',
    ),
    Code(
        "E0119",
        "a step of a test in the wrong place",
        "`step { }` contains the parts of one turn: effects, attempts, gestures, claims and observations. What is "
        "expected of the turn follows the closing brace. Steps that propose nothing (`given`, `clock`, `observe`, "
        "`assume`, `refuse`) have no verdict.",
        example_bad='spec s "Do it."\ntest "t" { given Open => allow. }\n',
        example_good='spec s "Do it."\ntest "t" { given Open. }\n',
    ),
    Code(
        "E0120",
        "a word is not a verdict",
        "The verdicts are `allow`, `warn`, `confirm`, `block`, and `not allow`; several are joined by `or`.",
        example_bad='spec s "Do it."\ntest "t" { finish => deny. }\n',
        example_good='spec s "Do it."\ntest "t" { finish => block. }\n',
    ),
    Code(
        "E0121",
        "the order of a file",
        "A file begins with its one header; the imports follow; then all other items in any order.",
        example_bad='spec s "Do it."\nallow Reserve.\nimport apps.opentable\n',
        example_good='spec s "Do it."\nimport apps.opentable\nallow Reserve.\n',
    ),
    Code(
        "E0122",
        "conditions follow when",
        "A rule is written `Head when Conditions.`; `:-` is accepted too. `if`, `where` and arrows are not.",
        example_bad='spec s "Do it."\nallow Reserve if Slot.\n',
        example_good='spec s "Do it."\nallow Reserve when Slot.\n',
    ),
    Code(
        "E0123",
        "wrong quotation marks",
        "Texts are written in straight double quotes. Single quotes, backticks and typographic quotes (which editors and "
        "chat programs like to insert) begin no text.",
        example_bad="spec s \"Do it.\"\nallow Reserve(restaurant = 'R').\n",
        example_good='spec s "Do it."\nallow Reserve(restaurant = "R").\n',
    ),
    Code(
        "E0124",
        "a constraint without an attribute or a value",
        "Constraints name the attribute and say what it must be, in any order: `Slot(date = today, time < 19:00)`. "
        "There are no arguments by position.",
        example_bad='spec s "Do it."\ndone when Slot("R", ?t).\n',
        example_good='spec s "Do it."\ndone when Slot(restaurant = "R").\n',
    ),
    Code(
        "E0125",
        "a comma with no element after it",
        "A comma separates two elements of a list, set, body or parameter list. None follows the last element, and there "
        "are no two commas in a row.",
        example_bad='spec s "Do it."\nallow Reserve(restaurant = "R",).\n',
        example_good='spec s "Do it."\nallow Reserve(restaurant = "R").\n',
    ),
    Code(
        "E0126",
        "when is missing",
        "`when` is written between the head of a rule and its conditions.",
        example_bad='spec s "Do it."\nallow Reserve(restaurant = "R") Slot(restaurant = "R").\n',
        example_good='spec s "Do it."\nallow Reserve(restaurant = "R") when Slot(restaurant = "R").\n',
    ),
    Code(
        "E0127",
        "text without quotes",
        "Texts are written in double quotes. A bare word is a member of an enum, a constant, or `today`.",
        example_bad='spec s "Do it."\nallow Reserve(restaurant = Il Duomo).\n',
        example_good='spec s "Do it."\nallow Reserve(restaurant = "Il Duomo").\n',
    ),
    Code(
        "E0129",
        "a character that means nothing here",
        "Names are made of ASCII letters, digits and `_`; a variable is `?` and a name (`?x`); comments are `// ..` and "
        "`/* .. */`. Invisible characters often come with copied text. Texts may contain every character.",
        example_bad='spec s "Do it."\n# my rules\nallow Reserve.\n',
        example_good='spec s "Do it."\n// my rules\nallow Reserve.\n',
    ),
    Code(
        "E0130",
        "a period where nothing ends",
        "Declarations with braces, `action`, `import` and the header end without a period.",
        example_bad='spec s "Do it."\nenum Tab {Home, All}.\n',
        example_good='spec s "Do it."\nenum Tab {Home, All}\n',
    ),
    Code(
        "E0131",
        "a comma is missing",
        "Conditions, constraints, members and the elements of a set are separated by commas. Only the attributes of a "
        "declaration may be separated by blanks alone.",
        example_bad='spec s "Do it."\ndone when Reserve earlier Result(ok = true).\n',
        example_good='spec s "Do it."\ndone when Reserve earlier, Result(ok = true).\n',
    ),
    Code(
        "E0132",
        "too many mistakes",
        "After a hundred mistakes the rest of a file is not read: it is probably not a `.vsa` file. Fix the first ones "
        "and check again.",
    ),
    Code(
        "E0133",
        "a slash inside a regular expression",
        "A regular expression ends at the first slash after its beginning, also within brackets. A slash that belongs "
        "to it is written with a backslash before it.",
        example_bad='spec s "Do it."\ndone when Result(path matches /a[/]b/).\n',
        example_good='spec s "Do it."\ndone when Result(path matches /a[\\/]b/).\n',
    ),
    Code(
        "E0134",
        "a file has too much in it",
        "A file of more than 20,000 items and steps, of more than 60,000 commas and colons, or of more than a million "
        "characters outside of texts and comments, is refused, so that checking ends in bounded time. No hand-written "
        "module is that long; if yours was generated, split it into modules and import them.",
    ),
    Code(
        "E0135",
        "no room to read a file",
        "Reading needs some hundred nested calls, and Python is set to allow fewer (`sys.setrecursionlimit`). The file "
        "was not read; nothing is said about it. Raise the limit to Python's own default, 1000, or more.",
    ),
    Code(
        "E0136",
        "a denial that is written otherwise",
        "`not` (or `no`) is written in small letters before one relation, once, without parentheses around it: "
        "`not Paid(id = ?i)`. A comparison is denied by its operator: `!=`, `not in`, `>=` for `<`. To deny several "
        "conditions together, `define` a relation by them and deny that.",
        example_bad='spec s "Do it."\ndone when not (Open).\n',
        example_good='spec s "Do it."\ndone when not Open.\n',
    ),
    Code(
        "E0137",
        "some rows, every row",
        "A relation alone says that some row fits: `Slot(free = true)`. That each row of some kind fits is "
        "`every Slot(day = today) has (free = true)`: two lists of constraints, no variable that runs over rows. `first 3 "
        "L(..) has (..)` asks it of the first rows of a list.",
        example_bad='spec s "Do it."\ndone when forall Slot (free = true).\n',
        example_good='spec s "Do it."\ndone when every Slot has (free = true).\n',
    ),
    Code(
        "E0138",
        "an aggregate that is written otherwise",
        "Aggregates are `count(A)`, and `sum`, `min`, `max` and `set` with an attribute: `sum(price of Item)`. They are "
        "written small, with the relation in parentheses, and compared or bound: `count(Item) >= 2`, `min(price of Item) "
        "= ?p`. There is no average.",
        example_bad='spec s "Do it."\ndone when COUNT(Item) > 2.\n',
        example_good='spec s "Do it."\ndone when count(Item) > 2.\n',
    ),
    Code(
        "E0139",
        "a clause of a query language",
        "Conditions are not a query: rows are not joined, grouped, sorted or cut by clauses. A variable that is used in two "
        "relations joins them; a relation has each row once; lists have the order of the screen, and `first 3 L(..)` takes "
        "its first rows; `min(a of A)` and `max(a of A)` find the ends of an attribute.",
        example_bad='spec s "Do it."\ndone when Item order by price.\n',
        example_good='spec s "Do it."\ndone when Item(price = ?p), min(price of Item) = ?p.\n',
    ),
    Code(
        "E0140",
        "a method, an object or a function that is not there",
        'Rows are not objects: conditions on a row are written in its parentheses, `Item(name contains "Tea", price < 5)`, '
        "and a value that is needed elsewhere is bound there, `Item(price = ?p)`. How a text begins or ends is asked with "
        "`matches /^Tea/`. The few functions take their values in parentheses, `lower(?t)`: the reference lists them.",
        example_bad='spec s "Do it."\ndone when Item(name = ?n), ?n.startswith("Tea").\n',
        example_good='spec s "Do it."\ndone when Item(name matches /^Tea/).\n',
    ),
    Code(
        "E0141",
        "a word about the past in the wrong place",
        "Conditions are asked of now. One word after a condition asks of the past: `A earlier` (it happened), `A within "
        "5min`, `A for 5min` (it has held that long), `A since B`; `A then B` says that B happened after A, and `before A` "
        "is written before a relation for the state before this step. What never happened is `not A earlier`.",
        example_bad='spec s "Do it."\ndone when once Paid.\n',
        example_good='spec s "Do it."\ndone when Paid earlier.\n',
    ),
    Code(
        "E0142",
        "what is written after allow",
        "`allow` names one action, and before it how often at most: nothing (once), a number, `each` (any number of times) "
        "or `either` (all rules that say so of this action share one permission). The conditions follow `when`. What nothing allows is blocked already.",
        example_bad='spec s "Do it."\nallow at most 3 Add(item = "Tea").\n',
        example_good='spec s "Do it."\nallow 3 Add(item = "Tea").\n',
    ),
    Code(
        "E0143",
        "a rule has one head and one list of conditions",
        "A rule is `Head when A, B.`: one head, then conditions that all must hold, separated by commas, without braces. "
        "For another head, or another case, write another rule: all rules count, in any order. What an `update` writes "
        "is in its parentheses: `update Cart(total = ?t) when ..`.",
        example_bad='spec s "Do it."\ndone when {Paid, Shown}.\n',
        example_good='spec s "Do it."\ndone when Paid, Shown.\n',
    ),
    Code(
        "E0144",
        "a message or an annotation that is written otherwise",
        "Each judgement (`deny`, `confirm`, `warn`, `flag`) says why, as a text right behind it, without parentheses: "
        '`deny "Too dear" when ..`. The value of an annotation is written in parentheses: `@id("DEAR")`.',
        example_bad='policy p "Rules"\ndeny when shell.\n',
        example_good='policy p "Rules"\ndeny "No commands" when shell.\n',
    ),
    Code(
        "E0145",
        "brackets of another kind",
        'Constraints are written in parentheses, `Item(name = "Tea")`; sets in braces, `name in {"Tea", "Milk"}`; a range in '
        "no brackets, `price in 1..5`, and both ends are included. There are no square brackets.",
        example_bad='spec s "Do it."\ndone when Item(name in ["Tea", "Milk"]).\n',
        example_good='spec s "Do it."\ndone when Item(name in {"Tea", "Milk"}).\n',
    ),
    Code(
        "E0146",
        "a declaration that is written otherwise",
        "Attributes are declared `name: Type`, in braces for `state`, `view` and `list`, and parameters in parentheses for "
        "`action`. The types are Text, Number, Bool, Date, Time, Duration, an enum's name, and `set of` texts or of an enum's members. There "
        "are no defaults and no optional types, since any cell may be unknown. `key` and `in` name attributes in "
        "parentheses: `state Item key (name) {name: Text}`.",
        example_bad='app a package "com.a" "An app"\nstate Item { Text name, Number price }\n',
        example_good='app a package "com.a" "An app"\nstate Item { name: Text, price: Number }\n',
    ),
    Code(
        "E0147",
        "the members of an enum",
        "An enum lists its members in braces: `enum Day {Mon, Tue}`. They have no values; how an app spells one is written after "
        '`as`: `Mon as ("Monday")`. Where a member is meant its name is written alone, without that of the enum.',
        example_bad='spec s "Do it."\nenum Day = Mon | Tue\n',
        example_good='spec s "Do it."\nenum Day {Mon, Tue}\n',
    ),
    Code(
        "E0148",
        "a constant that is written otherwise",
        "A constant is `let NAME = value.`: `=`, no type, and a period at its end. Its type is that of the value.",
        example_bad='spec s "Do it."\nlet Limit: Number = 5.\n',
        example_good='spec s "Do it."\nlet Limit = 5.\n',
    ),
    Code(
        "E0149",
        "a header or an import that is written otherwise",
        'A header is a kind, a name without quotes, and texts in quotes: `app shop package "com.shop" "A shop"`, `spec tea '
        '"Buy tea."`. Only apps have packages. An import names one whole module, without quotes: `import apps.opentable`.',
        example_bad='spec s "Do it."\nimport "shop"\n',
        example_good='spec s "Do it."\nimport shop\n',
    ),
    Code(
        "E0150",
        "a test that is written otherwise",
        'A test has a name in quotes and its steps in braces: `test "a table" { .. }`. A step may end with the verdict that is '
        "expected, before its period: `finish => block because incomplete.` What is seen to be gone is `observe no R(..)`.",
        example_bad='spec s "Do it."\ntest tea { finish => block. }\n',
        example_good='spec s "Do it."\ntest "tea" { finish => block. }\n',
    ),
    Code(
        "E0151",
        "a character that looks like the end of a line",
        "A line ends with a line feed, or a carriage return and a line feed. Editors also show other characters as the end of a "
        "line: a carriage return alone, U+2028, U+2029, U+0085, a vertical tab, a form feed. A rule behind one of them in a comment "
        "looks like a rule but is not one. So none may stand outside texts, nor may what turns the direction of writing. "
        "In a text that may stand only if it ends there: else what follows on the line, a rule perhaps, is shown in another order.",
        example_bad='spec s "Do it."\n// nothing else\u2028deny "no" when shell.\n',
        example_good='spec s "Do it."\n// nothing else\ndeny "no" when shell.\n',
    ),
    Code(
        "W0101",
        "a file that is not in the one style",
        "`vsac fmt` writes files in one style; `vsac fmt --check --format ..` says which are written otherwise, at the first line "
        "that would change. Comments and meaning stay as they are. No other command says this.",
        severity=Severity.WARNING,
    ),
    Code(
        "E0152",
        "a list of words that is written otherwise",
        "A list of words has one entry a line: its forms with commas between them, the first one in full. In the later forms `~` "
        "repeats the first one, up to its `|` if it has one. Each word is written once. Only letters, digits, blanks, hyphens, "
        "apostrophes and periods stand in words: no signs of regular expressions, no symbols and nothing that does not show. "
        "What follows `//` is a comment, in which nothing may turn the direction of a line or look like the end of one.",
        example_bad='policy p "P"\nlet Sends = words """\n  send(s|ing)?\n""".\n'
        'deny "no" when tap(text matches Sends).\n',
        example_good='policy p "P"\nlet Sends = words """\n  send, ~s, ~ing\n""".\n'
        'deny "no" when tap(text matches Sends).\n',
    ),
)
