"""A plugin of pytest for Airtest's suite: connects the phone first, as Airtest's own IDE does before a script."""


def pytest_configure(config: object) -> None:
    from airtest.core.api import connect_device

    connect_device("Android:///")
