"""Where people find vsalang and its documentation: the one place that knows addresses.

The package's own metadata names them (`[project.urls]` of pyproject.toml). While it names none, the pages that are
installed with the package are the documentation, and nothing points anywhere else.
"""

import json
import re
import subprocess
from collections.abc import Mapping
from functools import cache
from importlib.metadata import PackageNotFoundError, distribution, metadata
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from urllib.request import url2pathname

from vsalang.base import generated


@cache
def urls() -> Mapping[str, str]:
    """The addresses that the package's metadata names: small letters -> address, such as ``source``."""
    try:
        entries = metadata("vsalang").get_all("Project-URL") or []
    except PackageNotFoundError:
        return {}
    pairs = (entry.partition(",") for entry in entries)
    return {name.strip().lower(): url.strip() for name, _, url in pairs}


def documentation(page: str = "README.md") -> str:
    """The absolute address of a page of the documentation.

    Args:
        page: its path in `docs/`.
    """
    base = urls().get("documentation", "").rstrip("/")
    return f"{base}/{page}" if base else generated.page(page).as_uri()


def published(page: str = "README.md") -> str:
    """The address of a page that others can reach; "" while the package's metadata names none."""
    return documentation(page) if urls().get("documentation") else ""


def page_of(code: str) -> str:
    """The page of the documentation about a code, as a path in `docs/`."""
    return f"reference/{'lint' if code.startswith('L') else 'diagnostics'}/{code}.md"


def installed_from() -> str:
    """Where this vsalang was installed from, as a pinned URL for pip; "" if nobody else can install it from there.

    That is what the installer recorded (PEP 610): a commit of a repository, or an archive. Of a checkout on this
    computer it is the commit that is checked out, if the repository it was cloned from has it.
    """
    try:
        text = distribution("vsalang").read_text("direct_url.json")
    except PackageNotFoundError:
        return ""
    origin = json.loads(text) if text else {}
    url = str(origin.get("url", ""))
    if "vcs_info" in origin:
        return _pinned(url, origin["vcs_info"])
    if urlsplit(url).scheme == "file" and "dir_info" in origin:
        return _cloned_from(Path(url2pathname(urlsplit(url).path)))
    if urlsplit(url).scheme == "https":
        return _bare(url)
    return ""


def _pinned(url: str, info: Mapping[str, Any]) -> str:
    return f"{info.get('vcs', 'git')}+{_bare(url)}@{info.get('commit_id', '')}" if _bare(url) else ""


def _cloned_from(folder: Path) -> str:
    """The repository and the commit of a checkout, if the repository is not of this computer and has the commit."""

    def git(*words: str) -> str:
        command = ["git", "-C", str(folder), *words]
        done = subprocess.run(command, capture_output=True, text=True, timeout=20, check=True)
        return done.stdout.strip()

    try:
        if Path(git("rev-parse", "--show-toplevel")).resolve() != folder.resolve():
            return ""
        commit, remote = git("rev-parse", "HEAD"), git("remote", "get-url", "origin")
        if not git("branch", "--remotes", "--contains", commit):
            return ""
    except (OSError, subprocess.SubprocessError):
        return ""  # no git, no repository, no remote
    short = re.fullmatch(r"[\w.-]+@([\w.-]+):([\w./-]+)", remote)  # git@HOST:OWNER/NAME
    return _pinned(f"https://{short[1]}/{short[2]}" if short else remote, {"commit_id": commit})


def _bare(url: str) -> str:
    """An address that others can reach, without a name or a password in it; "" if they cannot."""
    parts = urlsplit(url)
    if parts.scheme not in ("https", "http", "ssh") or not parts.hostname:
        return ""
    port = f":{parts.port}" if parts.port else ""
    user = "git@" if parts.scheme == "ssh" and parts.username == "git" else ""
    return parts._replace(netloc=f"{user}{parts.hostname}{port}").geturl()
