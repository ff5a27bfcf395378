"""Devices: the interface of a phone, and real phones behind it. `vsalang.phone.open.open_device` connects to one."""

from vsalang.phone.errors import DeviceError, DeviceLost, DeviceTimeout, NotConnected, NotDelivered
from vsalang.phone.protocol import Device, DeviceInfo

__all__ = [
    "Device",
    "DeviceError",
    "DeviceInfo",
    "DeviceLost",
    "DeviceTimeout",
    "NotConnected",
    "NotDelivered",
]
