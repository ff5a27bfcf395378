"""Makes the fresh judging set out of its sources in `benchmarks/fresh/items`."""
