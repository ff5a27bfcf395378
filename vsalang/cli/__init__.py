"""The command line ``vsac``: one thin file for each command, listed in `vsalang.cli.main`."""
