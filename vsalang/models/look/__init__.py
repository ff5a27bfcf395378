"""A screen and a model in, better descriptions of its controls out, each checked before it is used."""
