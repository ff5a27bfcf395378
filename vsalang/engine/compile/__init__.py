"""From a core program to its query plan (`vsalang.engine.plan`): one step a module."""
