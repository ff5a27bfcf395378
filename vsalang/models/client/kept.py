"""Keeps answers in a folder that only the user may read, so that the same question is asked, and paid for, once."""

import hashlib
import json
from contextlib import suppress
from pathlib import Path
from typing import Any

from vsalang.base.records import dataclass
from vsalang.base.source import private


@dataclass(frozen=True, slots=True)
class KeptAnswers:
    """A folder of answers, each a JSON file named by the digest of all that it depends on.

    Attributes:
        folder: it is made when the first answer is kept.
        largest: the size of a file in bytes, above which it is not read.
    """

    folder: Path
    largest: int

    def get(self, digest: str) -> Any:
        """What is kept under a digest, which the caller must check; None if there is nothing, or it cannot be read."""
        try:
            return json.loads(private.read(self._place(digest), self.largest))
        except (OSError, ValueError, RecursionError):
            return None

    def keep(self, digest: str, data: Any) -> None:
        """Keep data for JSON.

        Raises:
            OSError: it cannot be written.
        """
        place = self._place(digest)
        for folder in (self.folder, place.parent):  # each by itself: what `parents` makes, others could read
            with suppress(FileExistsError):
                folder.mkdir(mode=0o700, parents=True)
        private.write(place, json.dumps(data, ensure_ascii=False).encode("utf-8", "replace"))

    def _place(self, digest: str) -> Path:
        return self.folder / digest[:2] / f"{digest}.json"


def digest_of(asked: Any) -> str:
    """The digest of all that an answer depends on: data for JSON."""
    return hashlib.sha256(json.dumps(asked, sort_keys=True).encode()).hexdigest()
