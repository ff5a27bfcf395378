"""The policy enforcement point (XACML): requests to a phone pass one at a time, each after the guard's verdict.

from vsalang.gate import Gate

gate = Gate(guard, device.observe)
gate.begin()
gate.act([Action("tap", {"x": 360, "y": 1430})], lambda: phone.click(360, 1430))
"""

from vsalang.gate.events import ActionRefused, Confirm, GateEvent, nobody
from vsalang.gate.gate import Gate

__all__ = ["ActionRefused", "Confirm", "Gate", "GateEvent", "nobody"]
