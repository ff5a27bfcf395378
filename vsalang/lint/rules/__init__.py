"""The rules, one a file. To add one, write its file with a `RULE`, and name it in `RULES`."""

from vsalang.lint.model import Rule
from vsalang.lint.rules import (
    against_the_wording,
    compared_with_on_off,
    done_after_the_first,
    done_without_result,
    ignore_comment,
    index_arithmetic,
    keyless_list_changed,
    never_written,
    partial_key,
    self_incrementing,
    shadowed_device_relation,
    similar_name,
    similar_to_quoted,
    single_branch,
    state_only_judgement,
    unconstrained_parameter,
    undescribed,
    unmentioned,
    variable_used_once,
    view_without_on,
)

RULES: tuple[Rule, ...] = (
    ignore_comment.RULE,
    variable_used_once.RULE,
    unmentioned.RULE,
    partial_key.RULE,
    unconstrained_parameter.RULE,
    never_written.RULE,
    compared_with_on_off.RULE,
    against_the_wording.RULE,
    single_branch.RULE,
    view_without_on.RULE,
    undescribed.RULE,
    shadowed_device_relation.RULE,
    similar_name.RULE,
    similar_to_quoted.RULE,
    index_arithmetic.RULE,
    state_only_judgement.RULE,
    done_after_the_first.RULE,
    done_without_result.RULE,
    self_incrementing.RULE,
    keyless_list_changed.RULE,
)
"""Every rule, in the order of the codes."""
