; For Neovim; those of Helix and Zed have other names and are in their folders.

[
  (declarations)
  (members)
  (parameters)
  (rule)
  (set)
  (steps)
] @indent.begin

["}" ")"] @indent.branch
"}" @indent.end
[(line_comment) (block_comment) (doc_string)] @indent.auto
