[
  (action)
  (aggregate)
  (block_comment)
  (block_step)
  (doc_string)
  (enum)
  (relation)
  (rule)
  (test)
] @fold
