"""A proposal and a belief state in, reasons out."""
