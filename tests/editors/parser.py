"""The tree-sitter parser, compiled."""

import ctypes
import functools
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any, Final

import pytest

FOLDER: Final = Path(__file__).resolve().parents[2] / "editors" / "tree-sitter-vsa"


def compiled(library: Path) -> None:
    """Compile the parser into a file; skips the test where there is no compiler of C."""
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("there is no compiler of C")
    command = [compiler, "-O1", "-shared", "-fPIC", "-I", str(FOLDER / "src"), "-o", str(library)]
    subprocess.run([*command, str(FOLDER / "src" / "parser.c")], check=True, timeout=120)


@functools.cache
def language() -> Any:
    """The language, for the Python package tree-sitter; skips the test where that is not installed."""
    tree_sitter = pytest.importorskip("tree_sitter")
    with tempfile.TemporaryDirectory() as folder:
        library = Path(folder) / "vsa.so"
        compiled(library)
        function = ctypes.CDLL(str(library)).tree_sitter_vsa
    function.restype = ctypes.c_void_p
    capsule = ctypes.pythonapi.PyCapsule_New
    capsule.restype, capsule.argtypes = ctypes.py_object, (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)
    return tree_sitter.Language(capsule(function(), b"tree_sitter.Language", None))


def tree(text: str) -> Any:
    """The root of a text's tree."""
    import tree_sitter

    return tree_sitter.Parser(language()).parse(text.encode()).root_node
