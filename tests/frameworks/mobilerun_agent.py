"""Runs mobilerun's agent on a phone through the adapter; it is started with the interpreter that has mobilerun.

It is given the base of the model's API, the spec and the phone's serial; the environment names the adb server. It
prints the result of each request as JSON lines, and the result last.
"""

import asyncio
import json
import sys

from mobilerun import AgentConfig, AndroidDriver, DeviceConfig, MobileAgent, MobileConfig
from mobilerun.agent.utils.llm_picker import load_llm

from vsalang import Guard, load
from vsalang.agents.adapters.mobilerun.driver import complete, guarded_driver, look
from vsalang.phone.gate import Gate, GateEvent


def told(event: GateEvent) -> None:
    """Print the result of a request."""
    print(json.dumps({"outcome": event.outcome, "what": event.what, "feedback": event.feedback}), flush=True)


async def main(api: str, spec: str, serial: str) -> None:
    """Run the agent to its end."""
    program = load(spec).program
    assert program is not None
    driver = AndroidDriver(serial, portal_mode="disabled")
    await driver.connect()
    gate = Gate(Guard(program), look(driver), listener=told)
    agent = MobileAgent(
        "Reserve a table",
        config=MobileConfig(
            agent=AgentConfig(after_sleep_action=0.0, wait_for_stable_ui=0.0),
            device=DeviceConfig(serial=serial, portal_mode="disabled"),
        ),
        llms=load_llm("OpenAILike", model="scripted", api_base=api, api_key="none", is_chat_model=True),
        driver=guarded_driver(driver, gate),
        custom_tools={"complete": complete(gate)},
        timeout=120,
    )
    result = await agent.run()
    print(json.dumps({"success": result.success, "reason": result.reason, "finished": gate.finished}))


asyncio.run(main(*sys.argv[1:]))
