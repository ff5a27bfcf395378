(relation name: (identifier) @name) @definition.class
(action name: (identifier) @name) @definition.function
(enum name: (identifier) @name) @definition.type
(let name: (identifier) @name) @definition.constant
(rule head: (atom_head (atom name: _ @name))) @definition.function
(rule head: (screen_head name: _ @name)) @definition.module
(test name: (_) @name) @definition.function

(body (condition (atom name: _ @name) @reference.call))
(call function: (identifier) @name) @reference.call
(import module: _ @name) @reference.module
