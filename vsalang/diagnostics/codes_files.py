"""Codes of reading files: ``E00xx``."""

from vsalang.diagnostics.code import Code

FILES = (
    Code(
        "E0001",
        "a file cannot be read",
        "The file does not exist, is a directory, or may not be read. Check the name and the permissions. Commands "
        "that take files take them one by one: name the files of a directory, not the directory.",
        example_bad="vsac check app_specs",
        example_good="vsac check app_specs/*.vsa",
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
)
