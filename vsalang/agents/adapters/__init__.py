"""Adapters: what vsalang knows of a framework of agents, each in a file or folder (see `vsalang.base.frameworks`)."""
