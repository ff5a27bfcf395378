"""Devices: the interface of a phone, and real phones behind it. `vsalang.phones.open_device` connects to one."""

from vsalang.device.errors import DeviceError, DeviceLost, DeviceTimeout, NotConnected, NotDelivered
from vsalang.device.protocol import Device, DeviceInfo

__all__ = [
    "Device",
    "DeviceError",
    "DeviceInfo",
    "DeviceLost",
    "DeviceTimeout",
    "NotConnected",
    "NotDelivered",
]
