"""Environmental injection: agents that follow what a screen tells them, with and without a guard (`README.md`)."""
