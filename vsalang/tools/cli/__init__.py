"""The command line ``vsac``: one thin file for each command, listed in `vsalang.tools.cli.main`."""
