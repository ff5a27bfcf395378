"""Codes of reading files: ``E00xx``."""

from vsalang.base.diagnostics.code import Code

FILES = (
    Code(
        "E0001",
        "a file cannot be read",
        "The file does not exist, is a folder, or may not be read. Check the name and the permissions. `check`, `lint`, "
        "`verify`, `test` and `fmt` take folders; other commands take one file.",
        example_bad="vsac check app_specs/rule.vsa",
        example_good="vsac check app_specs",
    ),
    Code(
        "E0002",
        "a file is too large",
        "Files above 4 MiB are refused, so that checking ends in bounded time. No hand-written module is that long; "
        "if yours was generated, split it into modules and import them.",
    ),
    Code(
        "E0003",
        "a file is not UTF-8",
        "Modules are UTF-8 text. UTF-16 (what some editors call Unicode) and older encodings such as Latin-1 are "
        "refused, because guessing an encoding can change what a rule says. Save the file as UTF-8, or convert it.",
        example_bad="# rules.vsa was saved as UTF-16\nvsac check rules.vsa",
        example_good="iconv -f UTF-16 -t UTF-8 rules.vsa -o utf8.vsa\nvsac check utf8.vsa",
    ),
    Code(
        "E0004",
        "a file is not text",
        "The file holds a NUL byte, which no text file does. It is probably another kind of file, or damaged.",
        example_bad="# rules.vsa holds NUL bytes\nvsac check rules.vsa",
        example_good="tr -d '\\000' <rules.vsa >text.vsa\nvsac check text.vsa",
    ),
    Code(
        "E0005",
        "a file of another kind",
        "A file given with --policy, or as a policy in a configuration file, is not a policy: its first word is `spec`, "
        "`app` or `module`. Nothing else is said of it. Name a file that begins with `policy`; a spec is given to a "
        "command as its SPEC or FILE.",
        example_bad="# rules.vsa begins with `module`\nvsac check app_specs/rules.vsa --policy rules.vsa",
        example_good="vsac check app_specs/rules.vsa rules.vsa",
    ),
    Code(
        "E0010",
        "a file is not JSON",
        "The place where the text stops being JSON is underlined; often the mistake is just before it. JSON has double "
        "quotes only, no comments, no comma after the last element, and neither NaN nor Infinity.",
        example_bad='{"Timer": {"description": "A timer",}}',
        example_good='{"Timer": {"description": "A timer", "variables": []}}',
    ),
    Code(
        "E0011",
        "a state schema does not have the expected shape",
        "A schema maps the name of each relation to an object with a text `description` (or none) and a list "
        "`variables`, each variable an object with `name` and `type`, or of the form {attribute: type}. Types are "
        "Boolean, Text, Number, Date, Time and Enum (with `enum_values`). The message names the place and what was "
        "expected there.",
        example_bad='{"Timer": {"variables": [{"name": "state", "type": "Enum"}]}}',
        example_good='{"Timer": {"variables": [{"name": "state", "type": "Enum", "enum_values": ["On", "Off"]}]}}',
    ),
    Code(
        "E0012",
        "a name occurs twice in a state schema",
        "Two relations of one name, two attributes of one relation, or one key twice in a JSON object. JSON readers "
        "keep the last and drop the others silently; here it is an error, because what is dropped is a rule's "
        "vocabulary. Names that differ but are the same after renaming (`my tab` and `my_tab`) count too.",
        example_bad='{"Tab": {"variables": []}, "Tab": {"variables": []}}',
        example_good='{"Tab": {"variables": []}, "OtherTab": {"variables": []}}',
    ),
    Code(
        "E0013",
        "a line is not a clause",
        "A clause in the notation of the VeriSafe Agent paper is `Condition(attribute=value) ∧ .. → Head()`, on a line of "
        "its own or broken after a connective. `&`, `and` and `^` stand for `∧`, `->` and `=>` for `→`; a value with "
        "another operator is written `(value, >=)`. There is no `or` and no negation. What is not a clause is reported, not "
        "passed over; a remark begins with #.",
        example_bad="Timer(running=True) | Alarm() → Done()",
        example_good="Timer(running=True) → Done()\nAlarm() → Done()",
    ),
    Code(
        "E0014",
        "a clause cannot be translated",
        "A clause names something that the app does not declare and no other clause reaches, compares with an operator or "
        "a value that the attribute's type does not take, or says what has no counterpart. The whole clause is kept as a "
        "comment in the spec that is made: without one of its conditions it would permit more. In the example the app "
        "has `Timer(running: Bool)` and `Alarm`.",
        example_bad="Timr(running=True) → Done()",
        example_good="Timer(running=True) → Done()",
    ),
    Code(
        "E0020",
        "a configuration file is not TOML",
        "`vsac.toml` and `pyproject.toml` are TOML. The message says where the text is wrong. A project whose "
        "configuration cannot be read is not worked on: what it says of policies and of the guard must not be lost.",
        example_bad="search = lib",
        example_good='search = ["."]',
    ),
    Code(
        "E0021",
        "an unknown key in a configuration file",
        "Every key has a meaning or is an error, so that a misspelt one is not passed over. The keys are `search`, "
        "`policies`, and the tables `[lint]`, `[similarity]`, `[guard]` and `[budget]`.",
        example_bad="[guard]\noveride = 1",
        example_good="[guard]\noverrides = 1",
    ),
    Code(
        "E0022",
        "a value in a configuration file does not fit",
        "It is of another type, out of bounds, none of the possible words, or names a file or folder that is not there. "
        "Files and folders are seen from the folder of the configuration file.",
        example_bad='[guard]\nunknown_screen = "allow"',
        example_good='[guard]\nunknown_screen = "block"',
    ),
    Code(
        "E0023",
        "two configurations of one project",
        "A folder has a `vsac.toml` and a `pyproject.toml` with `[tool.vsac]`. Which of them counts must not be guessed: "
        "keep one.",
        example_bad="# file: vsac.toml\n[guard]\noverrides = 1\n# file: pyproject.toml\n[tool.vsac.guard]\noverrides = 2\n",
        example_good='# file: vsac.toml\n[guard]\noverrides = 1\n# file: pyproject.toml\n[project]\nname = "shop"\n',
    ),
)
