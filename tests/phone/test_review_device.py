"""An input is sent to the device once, whatever the library does when its answer is missing."""

from typing import Any

import pytest

from vsalang.phone import DeviceError, DeviceLost, NotDelivered
from vsalang.phone.open import open_device
from vsalang.program.action import Action

pytest.importorskip("uiautomator2")


def test_an_unanswered_input_is_not_sent_again(monkeypatch: pytest.MonkeyPatch) -> None:
    import uiautomator2.core as core
    from uiautomator2.exceptions import UiAutomationNotConnectedError

    sent: list[str] = []
    real = core._jsonrpc_call

    def lossy(dev: Any, port: int, method: str, *rest: Any) -> Any:
        answer = real(dev, port, method, *rest)
        if method == "click":
            sent.append(method)
            raise UiAutomationNotConnectedError("android.os.DeadObjectException")
        return answer

    with open_device("sim:restaurant") as device:
        device.perform(Action("open_app"), {"package": "com.opentable"})
        target = device.observe().target("tap", {"text": "R"})
        monkeypatch.setattr(core, "_jsonrpc_call", lossy)
        with pytest.raises(DeviceLost, match="unknown") as raised:
            device.perform(Action("tap", {"text": "R"}), target)
        assert not isinstance(raised.value, NotDelivered)
        assert sent == ["click"]
        monkeypatch.undo()
        try:
            device.observe()  # the library may start its server again for looking
        except DeviceError as error:
            pytest.fail(f"the device is of no use any more: {error}")
