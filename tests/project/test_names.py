"""What users choose by name stands in `vsalang.base.names`, which is read in no time."""

import subprocess
import sys

from vsalang.base import names
from vsalang.program.phrases import catalogue


def test_every_language_has_a_catalogue() -> None:
    assert {language: bool(catalogue(language)) for language in names.LANGUAGES} == {"en": True, "de": True}


def test_the_names_load_nothing_else() -> None:
    said = "import sys, vsalang.base.names; print([m for m in sys.modules if m.startswith('vsalang.')])"
    done = subprocess.run([sys.executable, "-c", said], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "['vsalang.base', 'vsalang.base.names']"
