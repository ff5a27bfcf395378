"""Benchmarks of stores with journals of many devices."""
