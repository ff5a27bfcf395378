"""What can go wrong between vsalang and a device. The guard treats each of them as a refusal."""


class DeviceError(Exception):
    """The device, or the way to it, did not do what was asked.

    Attributes:
        delivered: False if the input certainly did not reach the device; None: not known.
    """

    delivered: bool | None = None


class DeviceLost(DeviceError):
    """The device or the adb server is gone; whether the last input reached the device is unknown."""


class DeviceTimeout(DeviceError):
    """No answer in time; whether the last input reached the device is unknown."""


class NotDelivered(DeviceError):
    """The input certainly did not reach the device: it may be proposed again."""

    delivered = False
