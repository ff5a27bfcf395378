// The .vsa language for tree-sitter. It accepts what grammars/vsa.tx accepts, and a little more: an editor shows what is
// half written. Words are keywords only where the language expects them, so an attribute may have the name of one.
//
// Generate src/ with: tree-sitter generate --abi 14 (tree-sitter-cli 0.27)

/// <reference types="tree-sitter-cli/dsl" />

const list = (rule) => seq(rule, repeat(seq(',', rule)));
const perhaps = (rule) => optional(list(rule));

module.exports = grammar({
  name: 'vsa',

  word: ($) => $.identifier,

  extras: ($) => [/\s/, /\uFEFF/, $.line_comment, $.block_comment],

  inline: ($) => [$._name, $._step_word, $._count_word],

  conflicts: ($) => [
    // `f()` before an operator is a call, else a condition
    [$.atom, $.call],
    // `(a)` is a group before `then`, else a value in parentheses
    [$.atom, $.reference],
  ],

  rules: {
    source_file: ($) => seq(optional($.header), repeat(choice($.import, $._item))),

    // ------------------------------------------------------------ declarations

    header: ($) =>
      seq(
        field('kind', choice('app', 'spec', 'policy', 'module')),
        field('name', $._name),
        optional(seq('package', list($._string))),
        optional('any'),
        optional(field('doc', $._string)),
      ),

    import: ($) => seq('import', field('module', $._name), optional(seq('as', field('alias', $.identifier)))),

    _item: ($) => choice($.annotation, $.rule, $.relation, $.action, $.enum, $.let, $.test),

    annotation: ($) => seq('@', field('name', $.identifier), optional(seq('(', perhaps($._expression), ')'))),

    let: ($) =>
      seq('let', field('name', $.identifier), '=', field('value', choice($.word_list, $._expression)), '.'),
    word_list: ($) => seq('words', $._string),

    enum: ($) =>
      seq('enum', field('name', $.identifier), optional(field('doc', $._string)), field('members', $.members)),
    members: ($) => seq('{', list($.member), '}'),
    member: ($) =>
      seq(field('name', choice($.identifier, $.string)), optional(seq('as', '(', list($._string), ')'))),

    relation: ($) =>
      seq(
        field('sort', choice('state', 'view', 'list')),
        field('name', $.identifier),
        optional(seq('on', list($._name))),
        optional(seq('in', $.attributes)),
        optional(seq('key', $.attributes)),
        optional(field('doc', $._string)),
        field('body', $.declarations),
      ),
    attributes: ($) => seq('(', list($.attribute), ')'),
    attribute: ($) => choice($.identifier, alias(choice($._count_word, 'before', 'screen', 'goto'), $.identifier)),
    _count_word: () => choice('count', 'sum', 'min', 'max', 'set'),
    declarations: ($) => seq('{', repeat(seq($.declaration, optional(','))), '}'),
    parameters: ($) => seq('(', repeat(seq($.declaration, optional(','))), ')'),
    declaration: ($) =>
      seq(
        field('name', $.attribute),
        ':',
        field('type', $._type),
        optional(field('doc', $._string)),
      ),

    _type: ($) => choice($.set_type, $.enum_type, $.type),
    type: ($) => choice($._name, alias(choice('set', 'enum'), $.identifier)),
    set_type: ($) => seq('set', 'of', $._type),
    enum_type: ($) => seq('enum', $.members),

    action: ($) =>
      seq(
        'action',
        field('name', $.identifier),
        optional($.parameters),
        optional(seq('over', list($._name))),
        optional(seq('refines', $.atom)),
        optional(field('doc', $._string)),
      ),

    // ------------------------------------------------------------ rules

    rule: ($) =>
      seq(
        field('head', $._head),
        optional(field('doc', $._string)),
        optional(field('body', $.body)),
        optional(field('extra', $.extra)),
        '.',
      ),
    body: ($) => seq(choice('when', ':-'), list($._literal)),
    extra: ($) => seq('with', list($._literal)),

    _head: ($) =>
      choice($.atom_head, $.allow_head, $.screen_head, $.goto_head, $.done_head, $.judge_head, $.expect_head),
    atom_head: ($) =>
      seq(choice('define', 'recognize', 'complete', 'top', 'end', 'update', 'delete'), $.atom),
    allow_head: ($) => seq('allow', optional($.quota), $.atom),
    quota: ($) => choice('either', 'each', $.number, $._name, alias($._count_word, $.identifier)),
    screen_head: ($) =>
      seq('screen', field('name', $._name), optional('closed'), optional(seq('over', list($._name)))),
    goto_head: ($) => seq('goto', field('name', $._name)),
    done_head: ($) => 'done',
    judge_head: ($) => seq(choice('deny', 'confirm', 'warn', 'flag'), field('message', $._string)),
    expect_head: ($) => seq('expect', list($._literal)),

    // ------------------------------------------------------------ conditions

    _literal: ($) => choice($.then, $._part),
    then: ($) => seq($._then_part, repeat1(seq('then', $._then_part))),
    _then_part: ($) => choice($.group, $._part),
    group: ($) => seq('(', list($._literal), ')'),
    _part: ($) => choice($.aggregate, $.every, $.first, $.spent, $.comparison, $.condition),

    condition: ($) => seq(optional($._negation), optional('before'), $.atom, optional($._past)),
    _negation: ($) => choice('not', 'no'),
    _past: ($) => choice($.earlier, $.within, $.since),
    earlier: ($) => 'earlier',
    within: ($) => seq(choice('within', 'for'), $._sum),
    since: ($) => seq('since', $.atom),

    every: ($) => seq(optional($._negation), optional('before'), 'every', $.atom, $.has),
    first: ($) =>
      seq(optional($._negation), optional('before'), 'first', choice($.number, $._name), $.atom, optional($.has)),
    has: ($) => seq('has', '(', list($.argument), ')'),
    spent: ($) => seq('all', $._name),

    aggregate: ($) =>
      seq(
        field('function', $._count_word),
        '(',
        optional(seq($.attribute, 'of')),
        optional('before'),
        $.atom,
        optional($._past),
        ')',
        $._bound,
      ),

    comparison: ($) => seq(field('left', $._sum), choice($._known, $._bound)),
    _known: ($) => choice('known', 'unknown'),
    _bound: ($) => seq(field('operator', $.operator), field('right', $._expression), optional(seq('..', $._sum))),
    operator: ($) =>
      choice(
        '=', '!=', '~=', '!~=', '<', '<=', '>', '>=',
        seq(optional('not'), choice('in', 'contains', 'subset', 'matches', 'names')),
      ),

    atom: ($) =>
      seq(
        optional(choice('screen', 'goto')),
        field('name', choice($._name, alias($._count_word, $.identifier))),
        optional(seq('(', optional(choice('..', seq(list($.argument), optional(seq(',', '..'))))), ')')),
      ),
    argument: ($) => seq(field('name', $.attribute), choice($._known, $._bound)),

    // ------------------------------------------------------------ values

    _expression: ($) => choice($.regex, $._sum),
    _sum: ($) => choice($.binary, $._factor),
    binary: ($) =>
      choice(
        prec.left(1, seq($._sum, choice('+', '-'), $._sum)),
        prec.left(2, seq($._sum, '*', $._sum)),
      ),
    _factor: ($) => choice($._scalar, $.negative, $.call, $.reference, $.parenthesis, $.set),
    negative: ($) => prec(3, seq('-', $._factor)),
    call: ($) =>
      seq(
        field('function', choice($.identifier, alias($._count_word, $.identifier))),
        '(',
        perhaps($._expression),
        ')',
      ),
    reference: ($) => choice($._name, alias($._count_word, $.identifier)),
    parenthesis: ($) => seq('(', $._sum, ')'),
    set: ($) => seq('{', perhaps($._sum), '}'),
    _scalar: ($) => choice($._string, $.variable, $.date, $.time, $.number),

    // ------------------------------------------------------------ tests

    test: ($) =>
      seq('test', field('name', $._string), optional(seq('for', field('target', $._name))), field('body', $.steps)),
    steps: ($) => seq('{', repeat($._step), '}'),
    _step: ($) => choice($.fact_step, $.clock_step, $.block_step, $.assume_step, $.plain_step, $.gesture_step),
    fact_step: ($) =>
      seq($._step_word, list($.atom), optional($.verdict), '.'),
    _step_word: ($) =>
      choice(
        seq('observe', optional(choice('no', 'complete'))),
        'given', 'update', 'delete', 'attempt', 'claim',
      ),
    clock_step: ($) => seq('clock', optional(choice($.date, $.reference)), choice($.time, $.reference), '.'),
    block_step: ($) => seq('step', field('body', $.steps), optional($.verdict), '.'),
    assume_step: ($) => seq('assume', $._assumed, choice('~=', '!~='), $._assumed, '.'),
    _assumed: ($) => choice($._string, $.reference),
    plain_step: ($) => seq(choice('finish', 'approve', 'refuse'), optional(seq('(', ')')), optional($.verdict), '.'),
    gesture_step: ($) => seq($.atom, optional($.verdict), '.'),

    verdict: ($) =>
      seq('=>', $.level, repeat(seq('or', $.level)), optional(seq('because', list(choice($._string, $.reference))))),
    level: ($) => seq(optional('not'), $.identifier),

    // ------------------------------------------------------------ tokens

    _name: ($) => choice($.identifier, $.qualified_name),
    identifier: () => /[A-Za-z_][A-Za-z0-9_]*/,
    qualified_name: () => /[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)+/,
    variable: () => /\?[A-Za-z_][A-Za-z0-9_]*/,
    date: () => /[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}/,
    time: () => /[0-9]{1,2}:[0-9]{1,2}(:[0-9]{1,2})?/,
    number: () => /[0-9]+(\.[0-9]+)?[A-Za-z_]*/,
    regex: () => /\/([^\/*\\\n]|\\[^\n])([^\/\\\n]|\\[^\n])*\/[A-Za-z]*/,

    _string: ($) => choice($.string, $.doc_string),
    string: ($) => seq('"', repeat(choice($._content, $.escape, $.interpolation)), token.immediate('"')),
    _content: () => token.immediate(prec(1, /[^"\\\n{]+|\{/)),
    escape: () => token.immediate(prec(1, /\\(u[0-9a-fA-F]{4}|[^\n])/)),
    interpolation: () => token.immediate(prec(2, /\{\?[A-Za-z_][A-Za-z0-9_]*\}/)),
    doc_string: () => token(/"""("{0,2}([^"\\]|\\"""|\\))*"""/),

    line_comment: () => token(/\/\/[^\n]*/),
    block_comment: () => token(/\/\*[^*]*\*+([^\/*][^*]*\*+)*\//),
  },
});
