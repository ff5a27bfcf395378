; A variable belongs to its rule, wherever it stands there.

(rule) @local.scope
(test) @local.scope
(rule head: (_ (atom (argument right: (variable) @local.definition.parameter))))
(variable) @local.reference
