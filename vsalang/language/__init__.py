"""Text in, program out: the language is parsed, checked, linted, formatted and described here."""
