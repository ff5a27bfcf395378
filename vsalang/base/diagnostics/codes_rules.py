"""Codes of rules: safety, stratification, what may be read and written (E04xx, W04xx)."""

from vsalang.base.diagnostics.code import Code
from vsalang.base.diagnostics.diagnostic import Severity

_APP = 'app shop package "com.shop" "A shop"\n'
_ITEM = _APP + "state Item key (name) { name: Text  price: Number }\n"
_ACT = "action Pay(amount: Number)\n"

_OFFER = (
    "list Offer in (day) { day: Text  price: Number }\n"
    'update Offer(row = ?n, day = "today", price = number(?t)) when Node(node = ?n, id = "row", text = ?t).\n'
)


def _pay(condition: str) -> str:
    """A spec that pays under a condition, and the beginning of its app."""
    return (
        f'// file: pay.vsa\nspec pay "Pay"\nimport shop\nallow Pay when {condition}.\ndone when Pay earlier.\n'
        '// file: shop.vsa\napp shop package "com.shop" "A shop"\naction Pay\n'
    )


def _empty(rule: str) -> str:
    """A spec that removes what is there, with a rule of its app."""
    return (
        '// file: tea.vsa\nspec tea "Remove the tea"\nimport shop\n'
        'allow Remove when Item(name = "tea").\ndone when Remove earlier.\n'
        "// file: shop.vsa\n" + _ITEM + "action Remove\n"
        'update Item(name = ?t) when Node(id = "item", text = ?t).\n'
        'recognize Remove when tap(id = "remove").\n' + rule
    )


RULES: tuple[Code, ...] = (
    Code(
        "E0401",
        "variable that is not bound",
        "Every variable of a head, a message, a comparison or a negation gets its value from a positive condition: "
        "`Relation(attribute = ?x)`. Otherwise the rule would hold for anything.",
        _ITEM + "define Cheap(name = ?n) when Item(price < 5).\n",
        _ITEM + "define Cheap(name = ?n) when Item(name = ?n, price < 5).\n",
    ),
    Code(
        "E0402",
        "relation that depends on its own absence",
        "A relation may not depend on there being none of itself, directly or through others: it would be true exactly when "
        "it is false. The message shows the circle.",
        _ITEM + "define Odd(name = ?n) when Item(name = ?n), not Even(name = ?n).\n"
        "define Even(name = ?n) when Item(name = ?n), not Odd(name = ?n).\n",
        _ITEM + "define Odd(name = ?n) when Item(name = ?n, price = 1).\n"
        "define Even(name = ?n) when Item(name = ?n), not Odd(name = ?n).\n",
    ),
    Code(
        "E0403",
        "arithmetic in a recursive rule",
        "A relation that computes new values from itself might never end. A recursive rule only passes values on.",
        _ITEM + "define Count(n = ?p) when Item(price = ?p).\ndefine Count(n = ?p + 1) when Count(n = ?p).\n",
        _ITEM + "define Count(n = ?p) when Item(price = ?p).\n",
    ),
    Code(
        "E0404",
        "head that does not say what it writes",
        "An update names the whole key of the row it writes, a head gives values by `=`, each attribute once, and a key is "
        "never unknown.",
        _ITEM + 'update Item(price = 5) when tap(id = "five").\n',
        _ITEM + 'update Item(name = "a", price = 5) when tap(id = "five").\n',
    ),
    Code(
        "E0405",
        "more than one trigger, or none",
        "An effect is set off by one gesture (predicted before the check), by one action (applied when it is committed), or "
        "by neither (read off the new screen).",
        _ITEM + _ACT + 'update Item(name = "a", price = 5) when tap(id = "five"), Pay.\n',
        _ITEM + _ACT + 'update Item(name = "a", price = 5) when tap(id = "five").\n',
    ),
    Code(
        "E0406",
        "recognition that depends on what is believed",
        "Before `with` only the gesture and the screen are possible. If a missing row of the state could make a tap harmless, "
        "permission would grow by not looking. What gives the parameters is written after `with`.",
        _ITEM + _ACT + 'recognize Pay(amount = ?p) when tap(id = "pay"), Item(price = ?p).\n',
        _ITEM + _ACT + 'recognize Pay(amount = ?p) when tap(id = "pay") with Item(price = ?p).\n',
    ),
    Code(
        "E0407",
        "absence that may only be cut off",
        "A row at the edge of the screen may hide its last parts. In an observation, `not Node` and `not Part` are used with "
        "Whole(..) or Fits(..) of the region they are about. What the trace of the system does not report may only not have "
        "been read: `not FileChanged` and the like are used with Traced(..) of the folder, app or namespace they are about.",
        _APP + "import std.tree\nstate Item key (name) { name: Text  price: Number }\n"
        'update Item(name = ?n, price = 0) when Node(node = ?r, text = ?n), not Part(of = ?r, id = "price").\n',
        _APP + "import std.tree\nimport std.lists\nstate Item key (name) { name: Text  price: Number }\n"
        'update Item(name = ?n, price = 0) when Node(node = ?r, text = ?n), Whole(node = ?r), not Part(of = ?r, id = "price").\n',
    ),
    Code(
        "E0408",
        "condition that can never be certain",
        "`allow` and `done` must hold certainly: that there is no such row, or none other, has to be known. Of a keyed state "
        "it is known where its whole key is given or a `complete` rule fits; of what is on the screen never.",
        'spec a "Say yes"\nallow answer(text = "yes") when not Toast(text = "no").\ndone when answer earlier.\n',
        'spec a "Say yes"\nallow answer(text = "yes") when Toast(text = "go").\ndone when answer earlier.\n',
    ),
    Code(
        "E0409",
        "action that is not proposed",
        "In the body of `allow` and `done` an action without `earlier` means the one being proposed, and there is only one. "
        "For something that was done write `earlier`.",
        'spec a "Say yes"\nallow answer(text = "yes").\ndone when answer.\n',
        'spec a "Say yes"\nallow answer(text = "yes").\ndone when answer earlier.\n',
    ),
    Code(
        "E0410",
        "`unknown` as a permission",
        "Permission never grows by not looking: `unknown` cannot be a condition of `allow` or `done`, not even through a "
        "definition.",
        'spec a "Say yes"\nallow answer(text = "yes") when App(activity unknown).\ndone when answer earlier.\n',
        'spec a "Say yes"\nallow answer(text = "yes") when App(activity known).\ndone when answer earlier.\n',
    ),
    Code(
        "E0411",
        "`~=` or `names` without a constant",
        "Similarity, and whom a text names, is decided against one text that is written in the program, for `names` with a "
        "letter or a digit. For values that are joined use `=`.",
        _ITEM + "define Alike(name = ?n) when Item(name = ?n), Item(name ~= ?n).\n",
        _ITEM + 'define Alike(name = ?n) when Item(name = ?n, name ~= "Milk").\n',
    ),
    Code(
        "E0412",
        "two rules write different values",
        "Two effects of one gesture or action write different constants to one cell. Which one holds must not depend on "
        "chance: add a condition that distinguishes the cases.",
        _APP
        + 'state Light { on: Bool }\nupdate Light(on = true) when tap(id = "s").\nupdate Light(on = false) when tap(id = "s").\n',
        _APP + 'state Light { on: Bool }\nupdate Light(on = true) when tap(id = "s", checked = false).\n'
        'update Light(on = false) when tap(id = "s", checked = true).\n',
    ),
    Code(
        "E0413",
        "`before` of something that has no before",
        "`before` reads the app's states, views and lists as they were before the predicted inputs; what is observed is never "
        "predicted.",
        _ITEM + 'deny "No" when before Node(id = "x").\n',
        _ITEM + 'deny "No" when before Item(price > 5).\n',
    ),
    Code(
        "E0414",
        "`for` on an action",
        "An action happens at one moment, so it never holds for a while. Write `earlier` or `within`.",
        _APP + _ACT + 'deny "Too fast" when Pay for 10s.\n',
        _APP + _ACT + 'deny "Too fast" when Pay within 10s.\n',
    ),
    Code(
        "E0415",
        "literal that cannot be written here",
        "`every` and `first` cannot be negated, and groups are written on the left of `then` only. Derive the condition with "
        "`define` and use that.",
        _ITEM + "define Bad when not every Item has (price > 5).\n",
        _ITEM + "define Bad when Item(price <= 5).\n",
    ),
    Code(
        "E0416",
        "past that depends on later values",
        "What is remembered is kept as it was seen: the variables of an atom about the past are bound in that atom. What is "
        "known only later is compared outside. In `A since B` every variable of A is in B too.",
        _ITEM + 'deny "No" when Item(name = ?n, price = ?p), Item(name = ?n, price < ?p) earlier.\n',
        _ITEM + 'deny "No" when Item(name = ?n, price = ?p), Item(name = ?n, price = ?q) earlier, ?q < ?p.\n',
    ),
    Code(
        "E0417",
        "permission whose ground the gesture deletes",
        "What a gesture does is predicted before the permission is asked. If the tap that is an action also deletes a row "
        "that `allow` for this action asks for, or erases a cell of it (`a = unknown`), the permission can never hold. Write "
        "the deletion as what the action does (`delete R(..) when A`): it then comes after the permission. Or ask for the row "
        "as it was: `before R(..)`.",
        _empty('delete Item(name = "tea") when tap(id = "remove").\n'),
        _empty('delete Item(name = "tea") when Remove.\n'),
    ),
    Code(
        "W0401",
        "nothing writes this",
        "`no`, `every` and counts ask whether the rows of a relation are complete, and no rule writes any row of this one. So "
        "tests or the developer library alone decide the condition. One warning for each file lists all such conditions in "
        "permissions. The lint rule L0005 asks of every condition whether there is a rule that writes its attribute.",
        _pay("no Card(blocked = true)") + "state Card { blocked: Bool }\n",
        _pay("no Card(blocked = true)") + "state Card { blocked: Bool }\n"
        'update Card(blocked = ?b) when Node(id = "blocked", checked = ?b).\n',
        Severity.WARNING,
    ),
    Code(
        "W0402",
        "all lists at once",
        "A list is complete for its `in` values. Without them no list is known to be complete, and the condition may never "
        "hold.",
        _pay("no Offer(price < 5)") + _OFFER,
        _pay('no Offer(day = "today", price < 5)')
        + _OFFER
        + 'complete Offer(day = "today") when Node(id = "all").\n',
        Severity.WARNING,
    ),
    Code(
        "W0403",
        "list that is complete only by scrolling",
        "No `complete` rule says when all of the list was seen; it is known only after scrolling from its first to its last "
        "row.",
        _pay('no Offer(day = "today", price < 5)') + _OFFER,
        _pay('no Offer(day = "today", price < 5)')
        + _OFFER
        + 'complete Offer(day = "today") when Node(id = "all").\n',
        Severity.WARNING,
    ),
    Code(
        "W0404",
        "two rules may write different values",
        "If both rules apply at once, the cell becomes unknown (observations) or the step is blocked (inputs). Observations are "
        "distinguished by different screens, by one node with different values, by nodes where one is `selected`, by a "
        "negation of what the other one asks, or by a condition of its own that each has in addition to one they share.",
        _APP + "state Light { on: Bool }\n"
        'update Light(on = true) when tap(id = "s").\nupdate Light(on = false) when tap(text = "off").\n',
        _APP + "state Light { on: Bool }\n"
        'update Light(on = true) when tap(id = "s").\nupdate Light(on = false) when tap(id = "t").\n',
        Severity.WARNING,
    ),
)
