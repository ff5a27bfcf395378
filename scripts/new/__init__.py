"""Writes what a new rule, command, format or adapter needs: `python -m scripts.new --help`."""
