"""Findings about source text: the data, the registry of codes, and renderers (terminal, JSON, SARIF, GitHub)."""

from vsalang.base.diagnostics.diagnostic import (
    Details,
    Diagnostic,
    Edit,
    Fix,
    Label,
    Severity,
    error,
    has_errors,
    in_order,
    info,
    warning,
)

__all__ = [
    "Details",
    "Diagnostic",
    "Edit",
    "Fix",
    "Label",
    "Severity",
    "error",
    "has_errors",
    "in_order",
    "info",
    "warning",
]
