[
  (declarations)
  (members)
  (parameters)
  (rule)
  (set)
  (steps)
] @indent

["}" ")"] @outdent
