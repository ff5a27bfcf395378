"""uiautomator2: a device of its own behind the guard, `GuardedDevice`."""
