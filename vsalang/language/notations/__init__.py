"""Other notations: `into` makes programs of them, `out` prints programs in them."""
