"""Errors between vsalang and a device. The guard treats each of them as a refusal."""


class DeviceError(Exception):
    """The device, or the connection to it, did not do what was asked.

    Attributes:
        delivered: False if nothing of the input has left this machine; None if that is not known. False is trusted only
            if `vsalang.program.delivery` agrees.
    """

    delivered: bool | None = None


class DeviceLost(DeviceError):
    """The device or the adb server is gone; whether the last input reached the device is unknown."""


class NotConnected(DeviceLost):
    """The adb server does not have the device; the message says what to do, and names `vsac phone doctor`."""


class DeviceTimeout(DeviceError):
    """No answer in time; whether the last input reached the device is unknown."""


class NotDelivered(DeviceError):
    """Nothing of the input has left this machine: it may be proposed again."""

    delivered = False
