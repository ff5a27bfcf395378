"""Findings about source text: the data, the registry of codes, and renderers (terminal, JSON, SARIF, GitHub)."""

from vsalang.diagnostics.model import (
    Diagnostic,
    Edit,
    Fix,
    Label,
    Severity,
    error,
    has_errors,
    in_order,
    warning,
)

__all__ = ["Diagnostic", "Edit", "Fix", "Label", "Severity", "error", "has_errors", "in_order", "warning"]
