"""A simulated phone with a bank: one page that says whom is paid, how much and at which fee, and a button that pays."""

from pathlib import Path

PACKAGE = "com.example.bank"
SPEC = """spec pay "Pay Ann 5."
import bank
allow Pay(to = "Ann", sum = 5) when Rate(free = true).
done when Pay earlier.
"""
PHONE = f"""
[phone]
title = "A bank"
clock = 2026-04-01T12:00:00
[[app]]
package = "{PACKAGE}"
label = "Bank"
start = "order"
[app.state]
payee = "Ann"
amount = 5
fee = "none"
banner = false
note = ""
paid = ""
[[app.screen]]
name = "order"
[[app.on]]
event = "pay"
set = {{ paid = "payee ~ ' ' ~ amount ~ ' fee ' ~ fee" }}
"""
FIELDS = (
    '<text id="to" text="To {{ payee }}"/><text id="sum" text="Sum {{ amount }}"/>'
    '<text id="fee" text="Fee: {{ fee }}"/>'
)
"""Whom is paid, and how much; the licence needs the fee."""
PAY = '<button id="pay" text="Pay" tap="pay" long="pay" double="pay"/>'
NOTE = '<edit id="note" hint="Note" text="{{ note }}" bind="note" NOTE/>'
BESIDE = f"{FIELDS}{NOTE}{PAY}"
APART = f"<card><column>{FIELDS}</column></card>{NOTE}<column>{PAY}</column>"
"""The button stands next to what it is about, or elsewhere: then no selector names them together."""


def bank(folder: Path, rule: str, order: str = BESIDE, event: str = "") -> Path:
    """Write the phone, the module and the task ``pay.vsa`` into a folder; give the phone's.

    Args:
        folder: is there.
        rule: the gesture that the module recognises as paying.
        order: what stands on the page.
        event: of the field for a note, if it pays: ``input`` or ``enter``.
    """
    (folder / "bank.vsa").write_text(f"""
app bank package "{PACKAGE}" "Bank"
screen Page "The order" when Node(id = "title").
view Order on Page "What is about to be paid" {{ to: Text "whom"  sum: Number "how much" }}
update Order(to = ?t) when Node(id = "to", text matches /^To (?<t>.+)$/).
update Order(sum = number(?s)) when Node(id = "sum", text matches /^Sum (?<s>[0-9]+)$/).
view Rate on Page "What it costs" {{ free: Bool "whether it costs nothing" }}
define Free when Node(id = "fee", text = "Fee: none").
update Rate(free = true) when Free.
action Pay(to: Text "whom", sum: Number "how much") "Pay somebody"
recognize Pay(to = ?t, sum = ?s) when {rule} with Order(to = ?t, sum = ?s).
""")
    (folder / "pay.vsa").write_text(SPEC)
    phone = folder / "phone"
    phone.mkdir()
    (phone / "phone.toml").write_text(PHONE)
    inside = order.replace("NOTE", f'{event}="pay"' if event else "")
    (phone / "order.xml").write_text(
        '<column width="fill" height="fill">{% if banner %}<text id="banner" text="A banner"/>{% endif %}'
        f'<text id="title" text="Order"/>{inside}<text id="paid" text="Paid: {{{{ paid }}}}"/></column>'
    )
    return phone
