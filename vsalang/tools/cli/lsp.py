"""``vsac lsp``: serve editors over standard input and output (Language Server Protocol)."""

import os
import sys

from vsalang.base.options import flag
from vsalang.base.records import dataclass
from vsalang.tools.cli import frame
from vsalang.tools.cli.common import require, version
from vsalang.tools.lsp.requests import register
from vsalang.tools.lsp.server import Server, serve


@dataclass(frozen=True, slots=True)
class LspOptions:
    """How an editor is served."""

    stdio: bool = flag("--stdio", help="Use standard input and output; the default, editors pass it.")


@frame.as_command()
def command(options: LspOptions) -> int:
    """Serve an editor: errors and lint findings while typing, fixes, descriptions, declarations.

    An editor starts this by itself and speaks the Language Server Protocol on standard input and output; on a terminal
    there is nothing to see. Needs the extra: pip install 'vsalang[lsp]'.

    Exit status: 0 the editor ended the session, 1 the connection was lost, 2 could not run.
    """
    require("pygls", "lsp")
    # The protocol has its own file descriptor, so that nothing else can be printed between its messages.
    sys.stdout.flush()
    output = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    return serve(register(Server(version())), sys.stdin.buffer, output)
