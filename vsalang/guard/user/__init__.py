"""Questions in, answers of the user out."""
