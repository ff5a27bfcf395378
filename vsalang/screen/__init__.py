"""A dump of a screen in, facts out: trees, controls, secrets in texts."""
