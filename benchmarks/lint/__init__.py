"""Programs with mistakes and right ones: `python -m benchmarks.measure lint` says what the linter finds."""
