"""The ground: source text, diagnostics, configuration, files and names. It knows nothing of the language."""
