"""Writes mined contracts as an app module. Words of screens come in as strings and in comments of one line only."""

from collections.abc import Collection, Iterator
from hashlib import blake2b

from vsalang.agents.maps.mining import Control, MinedContract, Mining
from vsalang.agents.maps.signatures import Signature
from vsalang.base.records import dataclass
from vsalang.base.source import Source
from vsalang.language.syntax.formatting import format_source
from vsalang.program.shares import Share
from vsalang.program.text import line, quote


@dataclass(frozen=True, slots=True)
class ContractProposal:
    """A mined contract as a person is asked about it.

    Attributes:
        name: six hexadecimal digits, of the screen, the control and the target: the same in the next run.
        declaration: its rules.
        evidence: what speaks for it.
    """

    name: str
    declaration: str
    evidence: tuple[str, ...]
    mined: MinedContract


def proposals(mining: Mining) -> tuple[ContractProposal, ...]:
    """The mined contracts with their names, rules and figures."""
    return tuple(
        ContractProposal(_name(mined), " ".join(_rules(mined)), (_figures(mined),), mined)
        for mined in mining.contracts
    )


def module(
    mining: Mining, accepted: Collection[str], *, name: str, source: str, imported: str | None = None
) -> str:
    """The text of a module with these contracts, in the one style.

    Args:
        accepted: the names of the contracts that it is to hold.
        name: of the module.
        source: what it was mined from, in words.
        imported: the app module that declares the screens.
    """
    chosen = [each for each in proposals(mining) if each.name in accepted]
    package = mining.screens.package
    lines = [
        f"// Mined from {line(source)}: {mining.passed} recorded steps of {line(package)}, {mining.taps} of them taps.",
        "// Each contract says how often the tap led there, and the least share that is likely (Wilson, 95 %). Nobody",
        "// knows whether it always does: read each, and move what is right to the app's own module.",
        f"app {name} package {quote(package)} {quote(f'What taps in {line(package, 100)} were seen to do')}",
    ]
    if imported is not None:
        lines.append(f"import {imported}")
    if any(each.mined.control.where == "within" for each in chosen):
        lines.append("import std.tree")
    lines += ["", *_screens(mining, chosen)]
    for each in chosen:
        lines += ["", f"// {each.name}: {each.evidence[0]}", *_rules(each.mined)]
    return format_source(Source.from_text("\n".join(lines).rstrip("\n") + "\n"))


def _screens(mining: Mining, chosen: Collection[ContractProposal]) -> Iterator[str]:
    package = mining.screens.package
    used = {each.mined.screen for each in chosen} | {each.mined.target.screen for each in chosen}
    for name, signature in sorted(mining.screens.named.items()):
        if name in used:
            remark = f"{line(signature.activity or package, 100)}, as it was recorded"
            yield f"screen {name} {quote(remark)} when {', '.join(conditions(signature))}."


def conditions(signature: Signature) -> Iterator[str]:
    """The literals of a `screen` rule that asks for a signature."""
    activity = "" if signature.activity is None else f", activity = {quote(signature.activity)}"
    yield f"App(package = {quote(signature.package)}{activity})"
    if signature.title is not None:
        id, text = signature.title
        yield f"Node(id = {quote(id)}, text = {quote(text)})"
    for id in signature.present:
        yield f"Node(id = {quote(id)})"
    for id in signature.absent:
        yield f"no Node(id = {quote(id)})"


def _rules(mined: MinedContract) -> Iterator[str]:
    body = f"{gesture(mined.control)}, screen {mined.screen}."
    if mined.target.package:
        yield f"expect App(package = {quote(mined.target.package)}) when {body}"
        return
    yield f"goto {mined.target.screen} when {body}"
    yield f"expect screen {mined.target.screen} when {body}"


def gesture(control: Control, name: str = "tap") -> str:
    """The pattern of a gesture on a control, as it is written in a rule."""
    cells = [f"id = {quote(control.id)}"] if control.id else []
    if control.where == "within":
        inner = f"TextIn(of = ?n, nth = 1, text = {quote(control.words)})"
        return f"{name}({', '.join(['node = ?n', *cells])}), {inner}"
    if control.where:
        cells.append(f"{control.where} = {quote(control.words)}")
    return f"{name}({', '.join(cells)})"


def _figures(mined: MinedContract) -> str:
    share, chance = mined.share, mined.chance
    return (
        f"{share.hits} of {share.of} taps ({_percent(share)}, at least {100 * share.low:.0f} % is likely); "
        f"{_percent(chance)} of the screens seen would do"
    )


def _percent(share: Share) -> str:
    return "0 %" if share.value is None else f"{100 * share.value:.0f} %"


def _name(mined: MinedContract) -> str:
    parts = repr((mined.screen, mined.control, mined.target))
    return blake2b(parts.encode("utf-8", "surrogatepass"), digest_size=3).hexdigest()
