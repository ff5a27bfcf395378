"""The narrow waist: relations, rules, values and operators as small frozen data, known to every other room."""
