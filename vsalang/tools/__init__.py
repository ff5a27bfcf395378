"""For people: the command line, the language server, questions, tests, audits, new projects."""
