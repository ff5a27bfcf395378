; The names are those of Neovim; where Helix or Zed have another one, it comes first: the last that an editor knows counts.

[(line_comment) (block_comment)] @comment

(doc_string) @string.documentation @string
(string) @string
(escape) @string.escape
(interpolation) @variable
(regex) @string.regexp @string

(number) @constant.numeric
(number) @number
[(date) (time)] @constant.numeric
[(date) (time)] @number
(variable) @variable

(type) @type.builtin @type
(type (qualified_name) @type)
(relation name: (identifier) @type)
(enum name: (identifier) @type)
(action name: (identifier) @function)
(call function: (identifier) @function)
(header name: _ @module)
(import module: _ @module)
(import alias: (identifier) @module)
(screen_head name: _ @type)
(goto_head name: _ @type)
(atom name: _ @function)
((atom name: (identifier) @type) (#match? @type "^[A-Z]"))
((atom name: (qualified_name) @type) (#match? @type "[.][A-Z][A-Za-z0-9_]*$"))
(member name: (identifier) @constant)
(let name: (identifier) @constant)
(reference) @constant
((reference) @constant.builtin (#match? @constant.builtin "^(true|false|none|today)$"))
(attribute) @variable.member
(attribute) @property
(annotation "@" @attribute)
(annotation name: (identifier) @attribute)
(level) @constant.builtin

["app" "spec" "policy" "module" "import" "package" "as" "any"] @keyword.import
["allow" "deny" "confirm" "warn" "flag"] @keyword
(done_head) @keyword
[
  "action" "all" "approve" "assume" "attempt" "because" "before" "claim" "clock" "closed" "complete" "define" "delete"
  "each" "either" "end" "enum" "every" "expect" "finish" "first" "for" "given" "goto" "has" "key" "let" "list"
  "observe" "of" "on" "over" "recognize" "refines" "refuse" "screen" "set" "since" "state" "step" "test" "then"
  "top" "update" "view" "when" "with" "within" "words"
] @keyword
(earlier) @keyword
["count" "sum" "min" "max"] @function.builtin
["contains" "in" "known" "matches" "names" "no" "not" "or" "subset" "unknown"] @keyword.operator
[":-" "=>" "=" "!=" "~=" "!~=" "<" "<=" ">" ">=" "+" "-" "*" ".."] @operator
["(" ")" "{" "}"] @punctuation.bracket
["," "." ":"] @punctuation.delimiter
