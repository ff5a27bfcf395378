"""Devices: what vsalang asks of a phone, and how a real one is asked. `vsalang.phones.open_device` connects to one."""

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
