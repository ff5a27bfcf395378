"""Makes the planted set: `benchmarks/planted/open`, `held` and `more`, from the scenes in folders of the same names here."""
