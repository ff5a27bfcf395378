"""A folder in, a project in it out: it has no errors, its tests pass, and its CI file works unchanged."""

from vsalang.tools.scaffold.project import NotStarted, Project, needed, start

__all__ = ["NotStarted", "Project", "needed", "start"]
