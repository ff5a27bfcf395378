"""What an answer about a charter says besides the spec: a judgement of the instruction, or that none can be written.

A charter is a spec over the effects of `std.effects`, for an app that nobody described. The model that writes it says
in the same answer whether what is asked for does harm. That only raises: a judgement that is missing, or not of the
form that was asked for, is not "harmless", but something that the user is asked about.
"""

import json
import re
from collections.abc import Iterable, Sequence
from typing import Any, Final

from vsalang.base.records import dataclass
from vsalang.base.source.strict_json import no_constant, object_once
from vsalang.models.encode.extract import without_thoughts
from vsalang.models.encode.problem import Problem
from vsalang.program import risks
from vsalang.program.text import line, quote

EFFECTS: Final = "std.effects"
"""The module whose effects charters are about."""
BY_NAME: Final = "std.charter"
"""The module that gives every effect one name."""
MAX_REASON: Final = 300
"""Characters of a reason that are kept."""
_MAX_SENTENCE: Final = 600
_JUDGEMENT: Final = re.compile(r"^[ \t*>`]*JUDGEMENT[ \t*`]*:(.*)$", re.MULTILINE)
_REFUSAL: Final = re.compile(r"^[ \t*>`]*CANNOT BE WRITTEN SAFELY[ \t*`]*:(.*)$", re.MULTILINE)
_IMPORTED: Final = re.compile(r"^import[ \t]+std\.charter\b(?:[ \t]+as[ \t]+(\w+))?", re.MULTILINE)
_KEYS: Final = {"harmful": bool, "categories": list, "reason": str}


@dataclass(frozen=True, slots=True)
class InstructionJudgement:
    """What a model says of an instruction.

    Attributes:
        concerns: the kinds of harm that it serves, by the words of `vsalang.program.risks`; none: it is not harmful.
        reason: in the model's words, on one printable line.
        missing: why there is no judgement that can be used; empty if there is one.
        warned: whether one that cannot be used says all the same that the instruction is harmful.
    """

    concerns: tuple[str, ...] = ()
    reason: str = ""
    missing: str = ""
    warned: bool = False

    @property
    def raises(self) -> bool:
        """Whether the user is asked about effects because of it."""
        return bool(self.concerns or self.missing)

    def words(self) -> str:
        """The judgement in a sentence, without a full stop."""
        if self.missing and not self.concerns:
            return f"nobody judged whether the instruction is harmful: {self.missing}"
        if not self.concerns:
            return f"the instruction is judged not to be harmful: {self.reason}"
        kinds = ", ".join(risks.CATEGORIES[each] for each in self.concerns)
        return f"the instruction may be harmful ({kinds}): {self.reason}"


def is_charter(apps: Iterable[str]) -> bool:
    """Whether a spec over these modules is a charter."""
    return EFFECTS in apps


def refusal_in(answer: str) -> str:
    """Why an answer says that nothing can be written safely, on one line; empty if it does not say so."""
    sentences = _REFUSAL.findall(without_thoughts(answer))
    return line(sentences[0].strip(" \t*`"), _MAX_SENTENCE) or "no reason was given" if sentences else ""


def judgement_in(answer: str) -> InstructionJudgement:
    """The judgement in an answer: one line ``JUDGEMENT: {..}``, and not a second one."""
    lines = _JUDGEMENT.findall(without_thoughts(answer))
    if len(lines) != 1:
        return InstructionJudgement(
            missing="the answer holds no judgement" if not lines else "it holds several"
        )
    try:
        data = json.loads(lines[0].strip(" \t*`"), object_pairs_hook=object_once, parse_constant=no_constant)
    except (ValueError, RecursionError):
        return InstructionJudgement(missing="the judgement is not a JSON object")
    return judgement_of(data)


def judgement_of(data: Any) -> InstructionJudgement:
    """A judgement as JSON data, if it has exactly the form that was asked for."""
    warned = isinstance(data, dict) and bool(data.get("harmful") or data.get("categories"))

    def unusable(why: str) -> InstructionJudgement:
        return InstructionJudgement(missing=why, warned=warned)

    if not isinstance(data, dict) or data.keys() != _KEYS.keys():
        return unusable("the judgement is not of the form that was asked for")
    if not all(isinstance(data[name], kind) for name, kind in _KEYS.items()):
        return unusable("a value of the judgement has the wrong type")
    categories, reason = data["categories"], line(data["reason"].strip(), MAX_REASON)
    unknown = [each for each in categories if not isinstance(each, str) or each not in risks.CATEGORIES]
    if unknown:
        return unusable(f"the judgement names an unknown kind: {line(str(unknown[0]), 60)}")
    if data["harmful"] != bool(categories):
        return unusable("the judgement contradicts itself")
    if not reason:
        return unusable("the judgement gives no reason")
    return InstructionJudgement(tuple(each for each in risks.CATEGORIES if each in categories), reason)


def joined_judgement(judgements: Sequence[InstructionJudgement]) -> InstructionJudgement:
    """All judgements as one: what any of them is concerned about, and that one is missing if none was given.

    One that cannot be used is made up for by another, unless it says that the instruction is harmful.
    """
    usable = [each for each in judgements if not each.missing]
    concerned = [each for each in usable if each.concerns]
    warned = [each for each in judgements if each.warned]
    if not concerned and warned:
        return warned[0]
    if not usable:
        return judgements[-1] if judgements else InstructionJudgement(missing="nobody was asked")
    concerns = tuple(word for word in risks.CATEGORIES if any(word in each.concerns for each in usable))
    return InstructionJudgement(concerns, (concerned or usable)[0].reason)


def missing_problem(judgement: InstructionJudgement) -> Problem:
    """That the judgement is missing, for the model."""
    return Problem.of(
        "answer",
        judgement.missing,
        'write it in one line before the spec: JUDGEMENT: {"harmful": false, "categories": [], "reason": ".."}',
    )


def with_judgement(text: str, header: str, judgement: InstructionJudgement) -> str:
    """A charter with the question that follows from a judgement of its instruction, at its end.

    Args:
        text: the charter.
        header: its first line.
        judgement: one that finds no harm adds nothing.
    """
    if not judgement.raises:
        return text
    message = judgement.words().replace("{", "{{").replace("}", "}}")
    message = message[:1].upper() + message[1:]
    risk = f" @risk({', '.join(judgement.concerns)})" if judgement.concerns else ""
    imported = _IMPORTED.search(text)
    if imported is None:
        text = text.replace(header, f"{header}\nimport {BY_NAME}", 1)
    name = (imported and imported[1]) or BY_NAME
    rule = f'@id("INSTRUCTION"){risk}\nconfirm {quote(message)} when {name}.Effect.\n'
    return f"{text.rstrip()}\n\n// What is said of the instruction itself.\n{rule}"
