; For Neovim. Zed has its own; for Helix, docs/guides/editors.md says how the names are changed.

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
