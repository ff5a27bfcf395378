; What an outline shows: for Zed, and for others that read tags it is tags.scm.

(header kind: _ @context name: _ @name) @item
(relation sort: _ @context name: (identifier) @name) @item
(action "action" @context name: (identifier) @name) @item
(enum "enum" @context name: (identifier) @name) @item
(let "let" @context name: (identifier) @name) @item
(rule head: (atom_head _ @context . (atom name: _ @name))) @item
(rule head: (allow_head "allow" @context (atom name: _ @name))) @item
(rule head: (screen_head "screen" @context name: _ @name)) @item
(rule head: (goto_head "goto" @context name: _ @name)) @item
(rule head: (judge_head _ @context . message: _ @name)) @item
(rule head: (done_head) @name) @item
(test "test" @context name: (_) @name) @item
