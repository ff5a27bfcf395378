"""The gate: requests to a phone pass through it one at a time, each after the guard's verdict."""
