"""Maps, ways, targets, hints and plans: the measures P1 to P8, printed as one table."""
