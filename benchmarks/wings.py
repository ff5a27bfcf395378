"""How often one allowed tap goes from one wing of the house to another: calls that cross a border.

    python -m benchmarks.wings

A call counts if the nearest caller in the package stands in another wing. `base` and `program` are the ground that all
stand on; they are not counted. By folders counts the same between the folders of all wings.
"""

import sys
from collections import Counter
from pathlib import Path
from types import FrameType

import vsalang
from vsalang import Action, Guard, load, open_device

ROOT = Path(vsalang.__file__).resolve().parent
SPEC = ROOT.parent / "app_specs" / "examples" / "reserve_r.vsa"
GROUND = frozenset({"base", "program"})


def place(frame: FrameType | None) -> tuple[str, str]:
    """The wing and the folder of the code of a frame; of code elsewhere, of the nearest caller in a wing."""
    while frame is not None:
        path = frame.f_code.co_filename
        if path.startswith(f"{ROOT}/"):
            parts = Path(path).relative_to(ROOT).parts
            if len(parts) > 1 and parts[0] not in GROUND:
                return parts[0], "/".join(parts[:2]) if len(parts) > 2 else parts[0]
        frame = frame.f_back
    return "", ""


def crossings() -> tuple[Counter[tuple[str, str]], Counter[tuple[str, str]]]:
    """Calls between wings, and between folders, while one allowed tap is judged, done and looked at."""
    wings: Counter[tuple[str, str]] = Counter()
    folders: Counter[tuple[str, str]] = Counter()

    def called(frame: FrameType, event: str, _: object) -> None:
        if event != "call" or not frame.f_code.co_filename.startswith(f"{ROOT}/"):
            return
        here, before = place(frame), place(frame.f_back)
        own = Path(frame.f_code.co_filename).relative_to(ROOT).parts[0]
        if own in GROUND or not before[0]:
            return
        wings[before[0], here[0]] += before[0] != here[0]
        folders[before[1], here[1]] += before[1] != here[1]

    app = {"package": "com.opentable"}
    with open_device("sim:restaurant") as phone:
        phone.perform(Action("open_app", app), app)
        guard = Guard(load(SPEC).checked(), phone)
        guard.observe(phone.observe())
        tap = Action("tap", {"text": "R"})
        guard.propose(tap)  # what is compiled at first use is not counted
        sys.setprofile(called)
        try:
            guard.step(tap)
        finally:
            sys.setprofile(None)
    return +wings, +folders


def main() -> None:
    """Print the counts."""
    wings, folders = crossings()
    print(f"{wings.total()} calls from wing to wing, {folders.total()} from folder to folder")
    for (caller, callee), count in wings.most_common():
        print(f"  {caller:>8} -> {callee:<8} {count:>4}")


if __name__ == "__main__":
    main()
