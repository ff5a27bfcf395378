"""The policy enforcement point (XACML): requests to a phone pass one at a time, each after the guard's verdict.

from vsalang.phone.gate import Gate

gate = Gate(guard, device.observe)
gate.begin()
gate.act([Action("tap", {"x": 360, "y": 1430})], lambda: phone.click(360, 1430))
"""

from vsalang.phone.gate.events import ActionRefused, Confirm, GateEvent, nobody
from vsalang.phone.gate.gate import Gate

__all__ = ["ActionRefused", "Confirm", "Gate", "GateEvent", "nobody"]
