"""The options by which a guarded session sends its journal to a fleet server."""

from pathlib import Path

from vsalang.base.options import option
from vsalang.base.records import dataclass
from vsalang.tools.cli.common import Failure
from vsalang.tools.cli.output import echo
from vsalang.tools.fleet.live.client import checked_url
from vsalang.tools.fleet.live.guarding_link import FleetPlace, GuardLink, token_problem
from vsalang.tools.fleet.live.spool import default_spool


@dataclass(frozen=True, slots=True)
class FleetOptions:
    """Which server gets the journal, and as whom it is sent.

    Attributes:
        url: of the server; None: the journal is sent nowhere.
        token_file: the file of the device's token.
    """

    url: str | None = option(
        "--fleet",
        metavar="URL",
        read=checked_url,
        help="Send the journal to this fleet server while the session runs. The guard decides as ever, and waits for "
        "nothing of it; the server can end the session.",
        needs={"--fleet-token-file": "it says which device this is"},
    )
    token_file: Path | None = option(
        "--fleet-token-file",
        metavar="FILE",
        help="The device's token, in a file that nobody else can read.",
        needs="--fleet",
    )

    def link(self, *, asks: bool) -> GuardLink | None:
        """The link to the server; None: none is named.

        Args:
            asks: whether people at its console answer questions.

        Raises:
            Failure: the token cannot be used.
        """
        if self.url is None or self.token_file is None:
            return None
        if problem := token_problem(self.token_file):
            raise Failure(
                f"the device's token cannot be used: {problem}",
                "`vsac fleet token add NAME` prints one; keep it in a file of mode 600",
            )
        try:
            spool = default_spool()
        except OSError as error:
            raise Failure(str(error)) from error
        return GuardLink(
            FleetPlace(self.url, self.token_file, spool, asks), lambda text: echo(f"fleet: {text}", err=True)
        )
