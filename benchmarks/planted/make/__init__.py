"""Makes the planted set: `benchmarks/planted/open` and `held`, from the scenes in folders of the same names here."""
