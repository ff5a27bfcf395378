"""A question in, an answer that may be wrong out: language models, similarity of texts, judges of risk."""
