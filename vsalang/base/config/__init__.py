"""The configuration of a project: ``vsac.toml``, or ``[tool.vsac]`` in ``pyproject.toml``.

>>> from vsalang.base.config import Config
>>> Config().lint.ignore
frozenset()
"""

from vsalang.base.config.configuration import Budget, Config, Device, Encode, Guard, Lint, Similarity, Trace
from vsalang.base.config.discover import CommandFile, excluded, find_files
from vsalang.base.config.inforce import CONTRACTS, config_in_force, policy_files, standard_in_force
from vsalang.base.config.read import ConfigError, config_for, read_config, users_config, users_file

__all__ = [
    "CONTRACTS",
    "Budget",
    "CommandFile",
    "Config",
    "ConfigError",
    "Device",
    "Encode",
    "Guard",
    "Lint",
    "Similarity",
    "Trace",
    "config_for",
    "config_in_force",
    "excluded",
    "find_files",
    "policy_files",
    "read_config",
    "standard_in_force",
    "users_config",
    "users_file",
]
