"""Codes of modules, imports and names (E02xx, W02xx)."""

from vsalang.base.diagnostics.code import Code
from vsalang.base.diagnostics.diagnostic import Severity

_APP = 'app shop package "com.shop" "A shop"\n'

NAMES: tuple[Code, ...] = (
    Code(
        "E0201",
        "module not found",
        "An imported module is searched next to the importing file, then in the project's app_specs/, then in the "
        "folders that were named to search, then in the standard library. `import a.b` finds a/b.vsa.",
        'spec a "Say yes"\nimport opentabel\nallow answer(text = "yes").\ndone when answer earlier.\n',
        'spec a "Say yes"\nimport apps.opentable\nallow answer(text = "yes").\ndone when answer earlier.\n',
    ),
    Code(
        "E0202",
        "modules import each other in a circle",
        "A module cannot import itself, directly or through others: what each declares must be known before it is used. "
        "Move what both need into a third module.",
        '// file: colours.vsa\nmodule colours "Colours"\nimport shapes\ndefine Blue(name = ?n) when Shape(name = ?n, name contains '
        '"blue").\n// file: shapes.vsa\nmodule shapes "Shapes"\nimport colours\ndefine Shape(name = ?n) when Node(desc = ?n).\n',
        '// file: colours.vsa\nmodule colours "Colours"\nimport shapes\ndefine Blue(name = ?n) when Shape(name = ?n, name contains '
        '"blue").\n// file: shapes.vsa\nmodule shapes "Shapes"\ndefine Shape(name = ?n) when Node(desc = ?n).\n',
    ),
    Code(
        "E0203",
        "module name and file name differ",
        "A file that is imported declares the name it is imported by, so that one name means one module everywhere. "
        "Rename the file or change the header.",
        '// file: sale.vsa\npolicy sale "Sales"\nimport words\n// file: words.vsa\nmodule texts "Words of shops"\n'
        'let Sold = "sold out".\n',
        '// file: sale.vsa\npolicy sale "Sales"\nimport words\n// file: words.vsa\nmodule words "Words of shops"\n'
        'let Sold = "sold out".\n',
    ),
    Code(
        "E0204",
        "unknown relation",
        "No relation, action or gesture of that name is declared here, in an imported module, or in the device vocabulary. "
        "A misspelt name must never silently switch a rule off, so it is an error.",
        _APP + 'view Cart on Basket { total: Number }\nscreen Basket when Nod(id = "cart").\n',
        _APP + 'view Cart on Basket { total: Number }\nscreen Basket when Node(id = "cart").\n',
    ),
    Code(
        "E0205",
        "name declared twice",
        "A name has one meaning in its module, also among the modules it imports. Gestures and critical actions of the "
        "device cannot be redeclared.",
        _APP + "state Cart { total: Number }\nstate Cart { items: Number }\n",
        _APP + "state Cart { total: Number }\nstate Basket { items: Number }\n",
    ),
    Code(
        "E0206",
        "unknown attribute",
        "The relation has no attribute of that name, or the action no such parameter. The message lists what it has.",
        _APP + 'action Pay(amount: Number)\nrecognize Pay(amout = 5) when tap(id = "pay").\n',
        _APP + 'action Pay(amount: Number)\nrecognize Pay(amount = 5) when tap(id = "pay").\n',
    ),
    Code(
        "E0207",
        "name with two meanings",
        "Two imported modules declare the name, or it is both a member of an enum and a constant. Write the module before "
        "the name (`module.Name`), or put the member in quotes.",
        _APP
        + 'let Home = 1.\nstate Tab { open: enum {Home, Cart} }\nupdate Tab(open = Home) when tap(id = "home").\n',
        _APP
        + 'let Home = 1.\nstate Tab { open: enum {Home, Cart} }\nupdate Tab(open = "Home") when tap(id = "home").\n',
    ),
    Code(
        "E0208",
        "unknown type",
        "Types are Text, Number, Bool, Date, Time, Duration, a declared enum, an enum written in place, and sets of Text or "
        "of an enum.",
        _APP + "state Cart { total: Float }\n",
        _APP + "state Cart { total: Number }\n",
    ),
    Code(
        "E0209",
        "not a member of the enum",
        "The value is not one of the enum's members. Members are compared exactly, case included; other spellings (`as`) "
        "are read by member() only.",
        _APP + 'state Tab { open: enum {Home, Cart} }\nupdate Tab(open = home) when tap(id = "home").\n',
        _APP + 'state Tab { open: enum {Home, Cart} }\nupdate Tab(open = Home) when tap(id = "home").\n',
    ),
    Code(
        "E0210",
        "unknown function",
        "The language has a fixed set of functions: time, date, number, duration, bool, currency, member, members, lower, "
        "line, says, flip, month, day, weekday.",
        _APP
        + 'state Cart { total: Number }\nupdate Cart(total = int(?t)) when Node(id = "total", text = ?t).\n',
        _APP
        + 'state Cart { total: Number }\nupdate Cart(total = number(?t)) when Node(id = "total", text = ?t).\n',
    ),
    Code(
        "E0211",
        "unknown screen",
        "No `screen` rule of this module or of one it imports names this screen.",
        _APP + 'screen Basket when Node(id = "cart").\nview Cart on Baskte { total: Number }\n',
        _APP + 'screen Basket when Node(id = "cart").\nview Cart on Basket { total: Number }\n',
    ),
    Code(
        "E0212",
        "a bare word that means nothing here",
        "A bare word in a value's place is `today`, a constant of `let`, or a member of the enum expected there. Text is "
        "in quotes, variables begin with a question mark.",
        'spec a "Say yes"\nallow answer(text = yes).\ndone when answer earlier.\n',
        'spec a "Say yes"\nallow answer(text = "yes").\ndone when answer earlier.\n',
    ),
    Code(
        "E0213",
        "annotation that is not known",
        "Annotations are @id, @severity, @risk, @source, @rationale and @idempotent. Severities and risks are fixed words, so that reports of "
        "different policies can be compared.",
        'policy p "Rules"\n@severity(huge)\ndeny "No shell" when shell.\n',
        'policy p "Rules"\n@severity(high)\ndeny "No shell" when shell.\n',
    ),
    Code(
        "E0214",
        "unknown module",
        "The module before the point, or after `for`, is not imported by this file.",
        'spec a "Say yes"\nallow answer(text = "yes").\ndone when answer earlier.\ntest "t" for b { finish => block. }\n',
        'spec a "Say yes"\nallow answer(text = "yes").\ndone when answer earlier.\ntest "t" for a { finish => block. }\n',
    ),
    Code(
        "E0215",
        "import that is not allowed",
        "Apps import apps and modules, specs too; policies import apps, modules and policies; modules import modules. Which policies "
        "are in force is decided by who runs the guard, never by a spec.",
        '// file: a.vsa\nspec a "Say yes"\nimport night\nallow answer(text = "yes").\ndone when answer earlier.\n'
        '// file: night.vsa\npolicy night "At night"\nwarn "it is late" when answer, Clock(now >= 23:00).\n',
        '// file: a.vsa\nspec a "Say yes"\nallow answer(text = "yes").\ndone when answer earlier.\n'
        '// file: night.vsa\npolicy night "At night"\nwarn "it is late" when answer, Clock(now >= 23:00).\n',
    ),
    Code(
        "E0216",
        "rules of one relation disagree",
        "All `define` rules of a relation name the same attributes: a row has the same shape whichever rule gave it.",
        _APP + "state Item key (name) { name: Text  price: Number }\n"
        "define Cheap(name = ?n) when Item(name = ?n, price < 5).\n"
        "define Cheap(item = ?n) when Item(name = ?n, price = 5).\n",
        _APP + "state Item key (name) { name: Text  price: Number }\n"
        "define Cheap(name = ?n) when Item(name = ?n, price < 5).\n"
        "define Cheap(name = ?n) when Item(name = ?n, price = 5).\n",
    ),
    Code(
        "E0217",
        "too many modules",
        "A program has at most 500 modules, and no chain of imports is longer than 60: loading ends in bounded time.",
    ),
    Code(
        "E0218",
        "a file of words that cannot be used",
        '`let NAME = words "FILE".` reads a list of words from a text file in the folder of the module, or in one below it. '
        "The file must be a regular file, not a link, in UTF-8 and at most 1 MB large. The list is a part of the program: "
        "it is in its hash, in journals and in exports.",
        'policy p "P"\nlet Sends = words "../sends.words".\ndeny "no" when tap(label matches Sends).\n',
        'policy p "P"\nlet Sends = words """\n  send\n""".\ndeny "no" when tap(label matches Sends).\n',
    ),
    Code(
        "W0201",
        "imported twice",
        "The module is imported already; the line says nothing.",
        'spec a "Say yes"\nimport apps.opentable\nimport apps.opentable\nallow answer(text = "yes").\ndone when answer earlier.\n',
        'spec a "Say yes"\nimport apps.opentable\nallow answer(text = "yes").\ndone when answer earlier.\n',
        Severity.WARNING,
    ),
    Code(
        "W0202",
        "name in lower case",
        "Relations, actions and screens begin with a capital letter; gestures and the device's actions with a small one. "
        "So a reader sees at once what belongs to the app.",
        _APP + "state cart { total: Number }\n",
        _APP + "state Cart { total: Number }\n",
        Severity.WARNING,
    ),
)
