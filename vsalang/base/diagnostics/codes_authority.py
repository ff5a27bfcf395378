"""Codes of authority and licences (E05xx, W05xx), and of tests (E06xx)."""

from vsalang.base.diagnostics.code import Code
from vsalang.base.diagnostics.diagnostic import Severity

_SPEC = 'spec a "Say yes"\n'
_OK = _SPEC + 'allow answer(text = "yes").\ndone when answer earlier.\n'
_APP = 'app shop package "com.shop" "A shop"\n'

AUTHORITY: tuple[Code, ...] = (
    Code(
        "E0501",
        "item that may not be written here",
        "Each kind of module is trusted for one thing: apps state facts, specs say what one task may do, policies hold the "
        "owner's rules, modules hold vocabulary. So a spec can never write the evidence it asks for.",
        _OK + "state Card { active: Bool }\n",
        _OK,
    ),
    Code(
        "E0502",
        "relation of another module",
        "A relation gets rules only from the module that declares it; others read it.",
        'app cafe package "com.cafe" "A cafe"\nimport apps.opentable\nupdate Choice(time = 19:00) when tap(id = "seven").\n',
        'app cafe package "com.cafe" "A cafe"\nimport apps.opentable\nview Own { time: Time }\n'
        'update Own(time = 19:00) when tap(id = "seven").\n',
    ),
    Code(
        "E0503",
        "spec that can never act",
        "A spec needs an `allow` or a `done` that can hold. What waits for an action that nothing allows never does.",
        _SPEC + 'define Ready when App(package = "com.shop").\n',
        _OK,
    ),
    Code(
        "E0504",
        "two rules allow one action",
        "Do they share one licence, or does each give its own? `allow either` in both: one of them, once. `allow 1` in both: "
        "each of them once.",
        _SPEC + 'allow answer(text = "yes").\nallow answer(text = "no").\ndone when answer earlier.\n',
        _SPEC
        + 'allow either answer(text = "yes").\nallow either answer(text = "no").\ndone when answer earlier.\n',
    ),
    Code(
        "E0505",
        "licence for no times",
        "A licence is for a whole number of times, at least once. What nothing allows is blocked anyway.",
        _SPEC + 'allow 0 answer(text = "yes").\ndone when answer earlier.\n',
        _SPEC + 'allow 1 answer(text = "yes").\ndone when answer earlier.\n',
    ),
    Code(
        "E0506",
        "app without a package",
        "An app module names the Android packages whose screens it describes; other modules have none.",
        'app shop "A shop"\nstate Cart { total: Number }\n',
        _APP + "state Cart { total: Number }\n",
    ),
    Code(
        "E0507",
        "@idempotent where it does not belong",
        "`@idempotent` says that a second execution of an action changes nothing more, so that it may be sent again while "
        "nobody knows whether it arrived. Only the app module that declares an action knows that: it is written before the "
        "`action` there, and nowhere else.",
        '// file: a.vsa\nspec a "Set an alarm"\nimport clock\n@idempotent allow SetAlarm(at = 07:00).\n'
        "done when SetAlarm earlier.\n"
        "// file: clock.vsa\n"
        'app clock package "com.clock" "Alarms"\naction SetAlarm(at: Time) "Set an alarm"\n'
        'recognize SetAlarm when tap(id = "set").\n',
        '// file: a.vsa\nspec a "Set an alarm"\nimport clock\nallow SetAlarm(at = 07:00).\n'
        "done when SetAlarm earlier.\n"
        "// file: clock.vsa\n"
        'app clock package "com.clock" "Alarms"\n@idempotent action SetAlarm(at: Time) "Set an alarm"\n'
        'recognize SetAlarm when tap(id = "set").\n',
    ),
    Code(
        "E0508",
        "memory that could permit",
        "`Tried` says what is remembered of a gesture on this screen. It may make `warn`, `confirm` and `flag` speak. Nothing "
        "else may read it, also not through a `define`: what was seen another day is not evidence of what is so now. Under `not`, "
        "or counted, it could keep a rule from asking, so that is an error too.",
        "policy a\nimport std.control\n"
        'deny "useless" when tap(node = ?n), Tried(node = ?n, gesture = "tap", effect = NoChange).\n',
        "policy a\nimport std.control\n"
        'warn "useless" when tap(node = ?n), Tried(node = ?n, gesture = "tap", effect = NoChange).\n',
    ),
    Code(
        "E0509",
        "judge's answer that could permit",
        "`Judged` and `Unjudged` say what a model answered to the question whether an action does harm. They may make `deny`, "
        "`confirm`, `warn` and `flag` speak. Nothing else may read them, also not through a `define`: a model can be wrong, and "
        "what it reads may have been written to mislead it. Under `not`, or counted, an answer could keep a rule from applying, "
        "so that is an error too. `Answered`, what a model said of a control, may also stand in `recognize`, and under `not`.",
        'spec a "Send it"\nimport std.judge\nallow answer(text = "yes") when Judged(concern = false).\n'
        "done when answer earlier.\n",
        'policy a\nimport std.judge\nconfirm "{?c}: {?w}" when Judged(concern = true, category = ?c, reason = ?w).\n',
    ),
    Code(
        "E0510",
        "an action over what it cannot lie over",
        "`action A over B`: where a touch is recognised as both, A is meant, and B is dropped. B is an action of a module: what "
        "is critical in every app stays. An action of a generic module lies over actions of generic modules only, because what "
        "is said of every app takes no duty away. And what refines an effect does not lie over it: it would hide it.",
        _APP + 'action Pay "Pay"\nrecognize Pay when tap(id = "pay").\n'
        'action Look over shell "Look"\nrecognize Look when tap(id = "look").\n',
        _APP + 'action Pay "Pay"\nrecognize Pay when tap(id = "pay").\n'
        'action Look over Pay "Look"\nrecognize Look when tap(id = "look").\n',
    ),
    Code(
        "E0511",
        "what cannot be refined",
        "`action A(..) refines m.B(b = ?a)` says that A, an action of an app, is the effect B of a generic module (`app m any`) "
        "with these arguments. Each is `parameter = value`, and its variables are parameters of A. What is left out is unknown.",
        '// file: shop.vsa\napp shop package "com.shop" "A shop"\nimport every\n'
        'action Pay(total: Number) refines every.Spend(amount = ?sum) "Pay"\nrecognize Pay when tap(id = "pay").\n'
        '// file: every.vsa\napp every any "Every app"\naction Spend(amount: Number) "Spend money"\n'
        'recognize Spend when tap(label = "Pay").\n',
        '// file: shop.vsa\napp shop package "com.shop" "A shop"\nimport every\n'
        'action Pay(total: Number) refines every.Spend(amount = ?total) "Pay"\nrecognize Pay when tap(id = "pay").\n'
        '// file: every.vsa\napp every any "Every app"\naction Spend(amount: Number) "Spend money"\n'
        'recognize Spend when tap(label = "Pay").\n',
    ),
    Code(
        "E0512",
        "@unlicensed where it does not belong",
        '`@unlicensed confirm ".." when A(..).` in a policy asks the user about an A that nothing licenses, which is blocked '
        "otherwise. The rule names the action and nothing else, so that what is asked about is what is seen of it; with "
        "`@unlicensed(unread)` also where nobody could read a parameter. `@unlicensed @near(B, C) warn` only warns the agent, where "
        "the task allows B or C and no clause is about A; A must be declared with @severity(low), in the module of B and C. Actions of "
        "the device, and actions with @severity(critical), stay blocked. Only the owner says this: an app module or a spec "
        "cannot, and a policy that a project's file puts in force is not heard.",
        'policy a\n@unlicensed confirm "Install {?p}?" when install(package = ?p).\n',
        '// file: a.vsa\npolicy a\nimport shop\n@unlicensed confirm "Share it with {?w}?" when Share(with = ?w).\n'
        '// file: shop.vsa\napp shop package "com.shop" "A shop"\naction Share(with: Text) "Share"\n'
        'recognize Share(with = ?w) when tap(id = "share", label = ?w).\n',
    ),
    Code(
        "E0514",
        "@refusal where it does not belong",
        "`@refusal expect .. when A.` in an app module says what shows after A if the app refused it: then A was not done, and its "
        "licence comes back. It is written before an `expect` whose `when` names a critical action, and nowhere else.",
        '// file: a.vsa\nspec a "Set an alarm"\nimport clock\nallow SetAlarm(at = 07:00).\n'
        "done when SetAlarm earlier.\n"
        "// file: clock.vsa\n"
        'app clock package "com.clock" "Alarms"\naction SetAlarm(at: Time) "Set an alarm"\n'
        'recognize SetAlarm when tap(id = "set").\n'
        '@refusal expect Node(id = "too_many") when tap(id = "set").\n',
        '// file: a.vsa\nspec a "Set an alarm"\nimport clock\nallow SetAlarm(at = 07:00).\n'
        "done when SetAlarm earlier.\n"
        "// file: clock.vsa\n"
        'app clock package "com.clock" "Alarms"\naction SetAlarm(at: Time) "Set an alarm"\n'
        'recognize SetAlarm when tap(id = "set").\n'
        '@refusal expect Node(id = "too_many") when SetAlarm.\n',
    ),
    Code(
        "W0501",
        "spec without an end",
        "Without `done` the agent can never finish its task.",
        _SPEC + 'allow answer(text = "yes").\n',
        _OK,
        Severity.WARNING,
    ),
    Code(
        "W0502",
        "`done` that never holds",
        "This `done` waits for an action that nothing allows; another one may still hold.",
        _SPEC + 'allow answer(text = "yes").\ndone when answer earlier.\ndone when shell earlier.\n',
        _OK,
        Severity.WARNING,
    ),
    Code(
        "E0601",
        "relation that cannot be written in this step",
        "`given` and `observe` take what the app declares or the device shows, `attempt` takes actions, gestures are written by "
        "themselves. What rules derive is never given: it follows.",
        _OK + 'test "t" { attempt tap(id = "x") => block. }\n',
        _OK + 'test "t" { attempt answer(text = "no") => block. }\n',
    ),
    Code(
        "E0602",
        "row that is not named",
        "A fact about a keyed state gives its whole key; about a list, its `in` values and the position or the key.",
        _APP + 'state Item key (name) { name: Text  price: Number }\ntest "t" { observe Item(price = 5). }\n',
        _APP
        + 'state Item key (name) { name: Text  price: Number }\ntest "t" { observe Item(name = "a", price = 5). }\n',
    ),
    Code(
        "E0603",
        "question in a test's fact",
        "A test says what is: attributes with `=` and values, without variables or other operators.",
        _OK + 'test "t" { attempt answer(text != "yes") => block. }\n',
        _OK + 'test "t" { attempt answer(text = "no") => block. }\n',
    ),
    Code(
        "E0604",
        "empty test or step",
        "A test without steps passes whatever the program does.",
        _OK + 'test "t" { }\n',
        _OK + 'test "t" { finish => block. }\n',
    ),
    Code(
        "E0605",
        "answer without a question",
        "`approve.` and `refuse.` answer the `=> confirm` of the step before.",
        _OK + 'test "t" { finish => block. approve. }\n',
        _OK + 'test "t" { finish => block. }\n',
    ),
    Code(
        "E0606",
        "two gestures in one turn",
        "An agent proposes one gesture at a time, and each is judged on the screen that the one before it led to.",
        _OK + 'test "t" { step { back. home. } => allow. }\n',
        _OK + 'test "t" { back. home. }\n',
    ),
    Code(
        "E0607",
        "assumption that cannot be",
        "Numbers, dates, amounts, addresses and identifiers must occur in a similar text, whatever the backend says, and it must not say the opposite.",
        _OK + 'test "t" { assume "room 12" ~= "room 13". finish => block. }\n',
        _OK + 'test "t" { assume "the big room" ~= "the large room". finish => block. }\n',
    ),
    Code(
        "E0609",
        "reason that names nothing",
        "After `because` follows an attribute, Relation.attribute, a relation, the id of a rule, or one of the words licence, "
        "incomplete and unlicensed.",
        _OK + 'test "t" { finish => block because anser. }\n',
        _OK + 'test "t" { finish => block because answer. }\n',
    ),
)
