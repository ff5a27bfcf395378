"""Pairs in, a scorer for a pooling server out: V-Droid's training by pairs (P³), with its recipe as configuration.

`recipe` and `data` need no further package; `run` needs the extra ``training`` (torch, transformers, peft).
"""
