"""adb on the wire: the front ends of a device and of a server, and the streams that services speak on."""
