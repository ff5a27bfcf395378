"""Makes the planted set, its parts `open`, `held` and `more`, from the scenes in folders of the same names here."""
