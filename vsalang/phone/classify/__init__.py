"""What a request to a phone does, before it is sent on: a pure function of the request.

    from vsalang.phone.classify import Actions, Read, Refuse, classify

    classify("shell:dumpsys window")            # Read()
    classify("shell:input tap 360 1430")        # Actions: tap(x = 360, y = 1430)
    classify("shell:input tap $(cat f) 3")      # Refuse: ...

A request that is not understood is never `Pass`. `classify` is for services of adbd; `classify_rpc`, `classify_http`
and `classify_sync` for the requests on streams for which it gives `Inspect`.
"""

from vsalang.phone.classify.rpc import classify_http, classify_rpc
from vsalang.phone.classify.services import classify, classify_sync
from vsalang.phone.classify.shell import classify_shell, classify_words, normalise
from vsalang.phone.classify.verdict import Actions, Allowance, Class, Inspect, Part, Pass, Refuse

__all__ = [
    "Actions",
    "Allowance",
    "Class",
    "Inspect",
    "Part",
    "Pass",
    "Refuse",
    "classify",
    "classify_http",
    "classify_rpc",
    "classify_shell",
    "classify_sync",
    "classify_words",
    "normalise",
]
