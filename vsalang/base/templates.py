"""Jinja2's environments for the folders of templates: of pages and pictures, and of plain text.

Jinja2 is imported when a template is needed: most commands need none.
"""

import base64
import hashlib
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jinja2 import Environment, Template
    from markupsafe import Markup


def page_template(file: Path, escape: Callable[[object], object]) -> "Template":
    """A template of HTML or SVG: all that it is given is escaped.

    Args:
        file: the template; those that it includes are in the same folder.
        escape: makes of each value that is printed what may stand on a page, such as
            `vsalang.base.diagnostics.display.on_page`.
    """
    from jinja2 import Environment

    environment = Environment(autoescape=True, finalize=escape, **_usual([file.parent]))
    return environment.get_template(file.name)


def text_templates(folders: Iterable[Path]) -> "Environment":
    """An environment for plain text, in which a template changes nothing and calls nothing unsafe.

    Args:
        folders: where templates are; the first folder that has one gives it.
    """
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    # plain text for language models and terminals, not HTML
    return ImmutableSandboxedEnvironment(autoescape=False, **_usual(folders))


def _usual(folders: Iterable[Path]) -> dict[str, Any]:
    from jinja2 import FileSystemLoader, StrictUndefined

    return {
        "loader": FileSystemLoader([str(folder) for folder in folders]),
        "undefined": StrictUndefined,
        "trim_blocks": True,
        "lstrip_blocks": True,
    }


def style_and_policy(file: Path) -> "tuple[Markup, str]":
    """The style of a page, and the Content-Security-Policy under which a page has this style and nothing else.

    Of scripts, images, fonts, frames and forms there are none.
    """
    from markupsafe import Markup

    style = file.read_text(encoding="utf-8").strip()
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    return Markup(style), policy
