"""``vsac describe``: describes a spec in plain words."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from vsalang.base.config import config_in_force, policy_files
from vsalang.base.options import argument
from vsalang.base.records import dataclass
from vsalang.base.report import Report, Style
from vsalang.language.describe import describe, to_data, to_markdown, to_text
from vsalang.language.semantics import Loaded, load, load_text
from vsalang.tools.cli import frame, shared
from vsalang.tools.cli.common import Failure, module_file, read
from vsalang.tools.cli.frame import Unusable


@dataclass(frozen=True, slots=True)
class DescribeOptions:
    """What is described."""

    spec: str = argument("SPEC")
    policies: tuple[str, ...] = shared.policies("SPEC")


@dataclass(frozen=True, slots=True)
class DescriptionReport(Report):
    """A program in plain words."""

    loaded: Loaded

    def data(self) -> Any:
        return to_data(describe(self.loaded.checked(), self.loaded.units), self.loaded.sources)

    def lines(self, style: Style) -> Iterator[str]:
        yield to_text(describe(self.loaded.checked(), self.loaded.units)).removesuffix("\n")

    def document(self, format: str, style: Style) -> str:
        return to_markdown(describe(self.loaded.checked(), self.loaded.units))


@frame.as_command("text", "markdown", "json")
def command(options: DescribeOptions) -> Report:
    """Say in plain words what SPEC permits, when its task is finished, and what is blocked.

    For a spec, the policies that the project's vsac.toml puts in force are described too. SPEC may also be a policy, an
    app module or another module, or the name of a shipped one (apps.settings); - is standard input. No language model
    is used: the same file always gives the same words. Exit status: 0; 1 SPEC has
    errors; 2 it could not be read.
    """
    spec = module_file(options.spec)
    place = Path.cwd() / "<stdin>" if spec == "-" else Path(spec)
    text = read("-").text if spec == "-" else ""
    config = config_in_force(place)

    def loaded_with(policies: tuple[str, ...]) -> Loaded:
        if spec == "-":
            return load_text(text, file="<stdin>", path=place, search=config.search, policies=policies)
        return load(spec, policies=policies, search=config.search)

    if spec == "-" and options.policies:
        raise Failure("policies need SPEC to be a file", "save it, and name the file")
    loaded = loaded_with(options.policies)
    program = loaded.program
    if config.policies and program is not None and program.modules[program.main].kind == "spec":
        loaded = loaded_with(policy_files(config, options.policies))
    if loaded.program is None:
        raise Unusable(loaded.errors, loaded.sources, status=-1)
    return DescriptionReport(loaded)
