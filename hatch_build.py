"""Builds the generated files for wheels and editable installs; see `vsalang/base/generated.py`."""

import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class GeneratedFiles(BuildHookInterface):  # type: ignore[type-arg]
    """Adds the generated files: among what ships in a wheel, in `site-packages` of an editable install."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Make the files in a folder of their own, and name it to the build.

        Raises:
            ValueError: the digests of a wheel's files are not those of the repository.
        """
        sys.path.insert(0, self.root)
        from scripts import generate
        from vsalang.base import generated

        self._folder = Path(tempfile.mkdtemp())
        if version == "editable":
            # Digests may be old here: someone changes what they are made from, and files that do not fit are not used.
            generate.write_all(self._folder)
            build_data["force_include_editable"] = {str(self._folder): generated.FOLDER}
            return
        wanted = generated.digests()
        for kind, made in generate.files().items():
            if generated.digest(made) != wanted.get(kind):
                shutil.rmtree(self._folder)
                raise ValueError(
                    f"the digest of the generated files {kind!r} in grammars/{generated.DIGESTS} is not theirs: "
                    "run python -m scripts.generate, and review what changed"
                )
            generate.write(self._folder / kind, made)
            build_data["force_include"][str(self._folder / kind)] = f"vsalang/_shipped/{kind}"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Delete the folder."""
        shutil.rmtree(self._folder)
