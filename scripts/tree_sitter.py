"""Generate the parser of editors/tree-sitter-vsa from its grammar.js, with the command `tree-sitter` (0.27).

python -m scripts.tree_sitter    writes src/parser.c, and into its last line the digest of grammar.js

Of what the command writes only the C is kept; editors compile it. Its interface is version 14, which all editors read.
"""

import hashlib
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

FOLDER: Final = Path(__file__).resolve().parent.parent / "editors" / "tree-sitter-vsa"
PARSER: Final = FOLDER / "src" / "parser.c"
LEFT_OUT: Final = ("grammar.json", "node-types.json", "tree_sitter/alloc.h", "tree_sitter/array.h")


def mark() -> str:
    """The last line of the parser: which grammar it was made of."""
    return f"/* grammar.js: {hashlib.sha256((FOLDER / 'grammar.js').read_bytes()).hexdigest()} */\n"


def main() -> int:
    """Generate; return the exit status."""
    program = shutil.which("tree-sitter")
    if program is None:
        print("error: tree-sitter is not installed (npm install tree-sitter-cli@0.27)", file=sys.stderr)
        return 1
    result = subprocess.run([program, "generate", "--abi", "14"], cwd=FOLDER, check=False)
    if result.returncode == 0:
        for name in LEFT_OUT:
            (FOLDER / "src" / name).unlink(missing_ok=True)
        PARSER.write_text(PARSER.read_text(encoding="utf-8") + "\n" + mark(), encoding="utf-8")
    return result.returncode


if __name__ == "__main__":
    sys.exit(main())
