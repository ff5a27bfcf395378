"""What the classes of uiautomator2 3.7 and adbutils 2.12 offer, and how each is guarded; what is not here is refused.

``reads``: it only reads, by calls that are classified as reading. ``judged``: it acts by calls that are each judged.
``local``: it touches this computer only. ``refused``: it is never allowed.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, Literal

How = Literal["reads", "judged", "local", "refused"]


def _table(reads: str = "", judged: str = "", local: str = "", refused: str = "") -> Mapping[str, How]:
    table: dict[str, How] = {}
    groups: tuple[tuple[How, str], ...]
    groups = (("reads", reads), ("judged", judged), ("local", local), ("refused", refused))
    for how, words in groups:
        table |= dict.fromkeys(words.split(), how)
    return MappingProxyType(table)


DEVICE: Final = _table(
    reads="app_current app_info app_list app_list_running app_wait clear_toast clear_traversed_text current_ime"
    " device_info dump_hierarchy exists info is_input_ime_installed last_toast last_traversed_text pull"
    " reset_uiautomator screenshot start_uiautomator wait_activity wait_fastinput_ime window_size wlan_ip",
    judged="adb_device app_auto_grant_permissions app_clear app_install app_start app_stop app_stop_all app_uninstall"
    " app_uninstall_all clear_text click clipboard double_click drag freeze_rotation hide_keyboard image jsonrpc"
    " jsonrpc_call keyevent long_click long_press make_toast open_notification open_quick_settings open_url"
    " orientation press push screen_off screen_on send_action send_keys session set_clipboard set_fastinput_ime"
    " set_input_ime"
    " set_orientation shell show_touch_trace swipe swipe_ext swipe_points toast touch unlock"
    " watch_context watcher xpath",
    local="click_post_delay debug implicitly_wait pos_rel2abs serial settings show_float_window sleep stop_uiautomator"
    " wait_timeout",
    refused="screenrecord",
)
"""`uiautomator2.Device`."""

SESSION: Final = MappingProxyType({**DEVICE, **_table(reads="running", judged="restart close", local="pid")})
"""`uiautomator2.Session`."""

OBJECT: Final = _table(
    reads="bounds center child child_by_instance child_selector count down exists from_parent get_text info info_list"
    " left must_wait parent right screenshot sibling up wait wait_gone",
    judged="child_by_description child_by_text clear_text click click_exists click_gone drag_to fling gesture"
    " long_click pinch_in pinch_out scroll send_keys set_text swipe",
    local="wait_timeout",
)
"""`uiautomator2._selector.UiObject`."""

XPATH: Final = _table(
    reads="get_page_source match",
    judged="click run_watchers scroll_to sleep_watch watch_background when",
    local="global_set implicitly_wait wait_timeout watch_clear watch_stop",
)
"""`uiautomator2.xpath.XPathEntry`."""

XPATH_SELECTOR: Final = _table(
    reads="all exists get get_last_match get_text match screenshot wait wait_gone",
    judged="click click_exists click_nowait long_click set_text",
    local="child copy create fallback from_parent xpath",
)
"""`uiautomator2.xpath.DeviceXPathSelector`."""

XPATH_ELEMENT: Final = _table(
    reads="percent_bounds percent_size screenshot",
    judged="click long_click scroll scroll_to swipe",
    local="attrib bounds center get_xpath info offset parent rect text",
)
"""`uiautomator2.xpath.DeviceXMLElement`."""

WATCHER: Final = _table(
    judged="run start call click press wait_stable", local="remove reset running stop triggering when close"
)
"""`Watcher`, `XPathWatcher` and `WatchContext` of `uiautomator2.watcher`: they act from here, through the device."""

ADB: Final = _table(
    reads="app_current app_info battery dump_hierarchy forward_list framebuffer get_devpath get_features get_serialno"
    " get_state getprop info is_screen_on list_packages package_info reverse_list rotation screenshot"
    " window_size wlan_ip",
    judged="app_clear app_start app_stop brightness_mode brightness_value click drag install install_remote keyevent"
    " logcat open_browser open_shell open_transport push reboot remove rmtree send_keys shell shell2 swipe"
    " switch_airplane switch_screen switch_wifi sync uninstall volume_down volume_mute volume_up",
    local="download_apk is_recording prop serial stop_recording",
    refused="adb_output create_connection forward forward_port forward_remove forward_remove_all reverse reverse_remove"
    " reverse_remove_all root start_recording tcpip",
)
"""`adbutils.AdbDevice`."""

SYNC: Final = _table(
    reads="exists iter_content iter_directory list pull pull_dir pull_file read_bytes read_text stat",
    judged="push",
)
"""`adbutils.sync.Sync`."""
