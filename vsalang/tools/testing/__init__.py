"""Running the tests that `.vsa` files hold: their outcomes, reports for people and for machines."""

from vsalang.tools.testing.running import FileOutcome, Options, TestOutcome, run_file, run_files

__all__ = ["FileOutcome", "Options", "TestOutcome", "run_file", "run_files"]
