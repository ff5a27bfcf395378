"""A question in, an answer out of whoever may be wrong: language models, similarity of texts, judges of risk."""
