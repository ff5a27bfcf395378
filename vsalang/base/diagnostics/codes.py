"""The registry of codes. A code is explained here or it does not exist.

The ranges, each in its own file ``codes_<stage>.py`` as one tuple of `Code`:

=======  ===============================================
E00xx    files
E01xx    syntax
E02xx    modules, imports, names
E03xx    types
E04xx    rules, safety, stratification
E05xx    authority, licences
E06xx    tests
Wxxxx    warnings, in the same ranges
Vxxxx    what a solver found
Lxxxx    lint rules: each with its rule in `vsalang.language.lint`, not here
=======  ===============================================

To add a code, add a `Code` to its stage's tuple; to add a stage, add its file and name its tuple in `_STAGES`.
"""

from collections.abc import Mapping
from types import MappingProxyType

from vsalang.base.diagnostics.code import Code
from vsalang.base.diagnostics.codes_authority import AUTHORITY
from vsalang.base.diagnostics.codes_files import FILES
from vsalang.base.diagnostics.codes_names import NAMES
from vsalang.base.diagnostics.codes_rules import RULES
from vsalang.base.diagnostics.codes_syntax import SYNTAX
from vsalang.base.diagnostics.codes_types import TYPES
from vsalang.base.diagnostics.codes_verify import VERIFY

_STAGES: tuple[tuple[Code, ...], ...] = (FILES, SYNTAX, NAMES, TYPES, RULES, AUTHORITY, VERIFY)


def _registry() -> Mapping[str, Code]:
    registry: dict[str, Code] = {}
    for stage in _STAGES:
        for entry in stage:
            if entry.code in registry:
                raise ValueError(f"the code {entry.code} is registered twice")
            registry[entry.code] = entry
    return MappingProxyType(dict(sorted(registry.items())))


CODES: Mapping[str, Code] = _registry()
"""Every code that a finding may have, in order."""
