"""The live side of a fleet: what guards send while they decide, in; a console, alarms, questions and ends, out.

Decisions stay where the device is. The server can raise alarms, ask, and end a session; it has no message that allows
an action, lowers a level or changes a policy.
"""
