"""The pictures of the editors' guide: what they say is what the editors show now."""

import shutil

import pytest

from scripts import editor_pictures, picture


@pytest.mark.sampled(2)
@pytest.mark.slow
@pytest.mark.parametrize(("name", "program"), [("emacs.svg", "emacs"), ("neovim.svg", "nvim")])
def test_editors_show_what_is_on_their_pictures(name: str, program: str) -> None:
    for needed in ("tmux", program):
        if shutil.which(needed) is None:
            pytest.skip(f"{needed} is not installed")
    old, new = (picture.FOLDER / name).read_bytes(), editor_pictures.PICTURES[name]()
    assert picture.texts(old) == picture.texts(new), "is it right now? then python -m scripts.editor_pictures"
