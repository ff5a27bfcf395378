"""The command line, ``vsac``: one thin file per command, listed in `vsalang.cli.main`. No other room imports this."""
