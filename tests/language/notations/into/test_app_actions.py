"""Actions that are proposed for a schema: what speaks for one, what does not, and that a person decides."""

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.pages import section
from tests.terminals import Typed
from vsalang.base.source import Source, read_source
from vsalang.language.notations.into import actions, import_schema, propose, with_actions
from vsalang.language.notations.into.printer import Relation
from vsalang.language.semantics import load_text
from vsalang.tools.cli.main import run

ROOT = Path(__file__).parents[4]


def relation(description: str = "", **variables: Any) -> dict[str, Any]:
    """A relation of a schema; a list gives the members of an enum."""
    return {
        "description": description,
        "variables": [
            {"name": name, "type": "Enum", "enum_values": kind} if isinstance(kind, list) else {name: kind}
            for name, kind in variables.items()
        ],
    }


def proposed(**relations: Any) -> dict[str, str]:
    """Name, parameters and evidence of what is proposed, as `Send(text: Text)` to its evidence."""
    imported = import_schema(Source.from_text(json.dumps(relations), "a.json"))
    found = {}
    for each in propose(imported.declared):
        parameters = ", ".join(f"{item.name}: {item.type}" for item in each.parameters)
        found[f"{each.name}({parameters})"] = "; ".join(each.evidence)
    return found


@pytest.mark.parametrize(
    ("relations", "action", "evidence"),
    [
        (
            {"Slot": relation(restaurant="Text", day="Date", hour="Time", reserve_clicked="Boolean")},
            "ReserveSlot(restaurant: Text, day: Date, hour: Time)",
            "Slot has the flag reserve_clicked",
        ),
        (
            {"SaveButton": relation(pressed="Boolean", note_title="Text")},
            "Save(note_title: Text)",
            "the name of SaveButton",
        ),
        (
            {"MessageSent": relation(text="Text", to="Text")},
            "SendMessage(text: Text, to: Text)",
            "the name of MessageSent",
        ),
        (
            {"Chat": relation("Shows whether the user sent the message", chat_name="Text", last="Text")},
            "SendMessage(chat_name: Text)",
            'Chat: "whether the user sent the message"',
        ),
        (
            {"PostOptions": relation(post_title="Text", option=["Like", "View", "Mark as read"])},
            "LikePost(post_title: Text)",
            'PostOptions.option has the member "Like"',
        ),
        (
            {
                "MailMenu": relation(menu=["Archive", "Delete", "Open"]),
                "MailDetails": relation(subject="Text", size="Number"),
            },
            "ArchiveMail(subject: Text)",
            'MailMenu.menu has the member "Archive"',
        ),
        (
            {"PostDetails": relation(title="Text", likes="Number", is_liked="Boolean")},
            "LikePost(title: Text)",
            "PostDetails has the flag is_liked",
        ),
        (
            {
                "NoteCreationScreen": relation(
                    title="Text", folder=["Work", "Home"], pinned="Boolean", create_done="Boolean"
                )
            },
            "CreateNote(title: Text, folder: Enum, pinned: Bool)",
            "NoteCreationScreen is a form; NoteCreationScreen has the flag create_done",
        ),
        (
            {"ReplyText": relation("The reply you are currently writing", content="Text")},
            "PublishReply(content: Text)",
            'ReplyText: "currently writing"',
        ),
        (
            {"SocialOptions": relation("Options available for the current track", option=["Like", "Share"])},
            "LikeTrack()",
            'SocialOptions.option has the member "Like"',
        ),
        (
            {"SettingsList": relation(setting_option=["Privacy", "Close Account", "Share usage"])},
            "CloseAccount()",
            'SettingsList.setting_option has the member "Close Account"',
        ),
    ],
)
def test_what_speaks_for_an_action(relations: dict[str, Any], action: str, evidence: str) -> None:
    assert proposed(**relations)[action] == evidence


@pytest.mark.parametrize(
    "relations",
    [
        {"BottomTabs": relation(selected_tab=["Home", "Post", "Save"])},
        {"SortOptions": relation(sort_option=["Like", "Share", "Send"])},
        {"NotificationSettings": relation(share_updates="Boolean", follow_requests="Boolean")},
        {"ThingOptions": relation(option=["Pin", "Board"])},
        {"Menu": relation(menu_option=["Open", "View profile", "Go back", "Search", "Cancel"])},
        {"Devices": relation(saved_device="Boolean", is_open="Boolean", download_over_wifi="Boolean")},
        {"PostCreationDetails": relation(share_on_threads="Boolean", photos="Number")},
        {"Weather": relation("Displayed when the user opened the page", temperature="Text")},
        {"Odd": relation(__="Boolean", _1="Boolean")},
    ],
)
def test_what_speaks_for_none(relations: dict[str, Any]) -> None:
    assert proposed(**relations) == {}


def test_one_name_is_proposed_once() -> None:
    found = proposed(
        PostMenu=relation(menu_option=["create_post", "Exit"]),
        PostCreationDetails=relation(text="Text", audience=["All", "Friends"]),
    )
    assert found == {
        "CreatePost(text: Text, audience: Enum)": 'PostMenu.menu_option has the member "create_post"; '
        "PostCreationDetails is a form"
    }


def test_a_relation_is_compared_with_the_others_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the number of its buttons: a schema with many took minutes."""
    compared: list[str] = []
    one = actions._concerned

    def counted(each: Relation, relations: Sequence[Relation]) -> Relation:
        compared.append(each.name)
        return one(each, relations)

    monkeypatch.setattr(actions, "_concerned", counted)
    flags = {f"send_{number}_clicked": "Boolean" for number in range(9)}
    buttons = [f"Delete {number}" for number in range(9)]
    assert len(proposed(Menu=relation(button=buttons, **flags), Note=relation(title="Text"))) > 9
    assert len(compared) == 2  # for its members, and for its flags


def test_no_action_has_the_name_of_a_relation() -> None:
    schema = {
        "Likes": relation(by="Text"),
        "SendMail": relation(subject="Text"),
        "MailMenu": relation(menu=["Send"]),
    }
    assert proposed(**schema) == {}


CHAT = {
    "Chat": relation("A chat", chat_name="Text", mood=["good", "bad//\n action X"], send_clicked="Boolean"),
    "PostOptions": relation("", option=["Like\n}", "Report spam"]),
}


def test_nothing_is_declared_by_itself() -> None:
    imported = import_schema(Source.from_text(json.dumps(CHAT), "chat.json"))
    proposals = propose(imported.declared)
    assert [each.name for each in proposals] == ["SendChat", "LikePost", "ReportSpam"]
    for accepted in ((), ("SendChat",), ("SendChat", "LikePost", "ReportSpam")):
        text = with_actions(imported.text, proposals, set(accepted), listed=True)
        loaded = load_text(text)
        assert loaded.program is not None, loaded.diagnostics
        found = {
            r.name: r for r in loaded.program.relations.values() if r.sort == "action" and r.module == "chat"
        }
        assert set(found) == {f"chat.{name}" for name in accepted}
        if accepted:
            chat = loaded.program.relations["chat.Chat"]
            types = {attr.name: attr.type for attr in chat.attrs}
            sent = {attr.name: attr.type for attr in found["chat.SendChat"].attrs}
            assert sent == {name: types[name] for name in ("chat_name", "mood")}
    assert with_actions(imported.text, proposals, set(), listed=False) == imported.text


def test_a_confirmed_action_is_judged_by_rules(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "Chat.json").write_text(json.dumps(CHAT), encoding="utf-8")
    module = tmp_path / "chat.vsa"
    assert run(["import", str(tmp_path / "Chat.json"), "-o", str(module), "--accept", "SendChat"]) == 0
    assert (
        "3 actions proposed, 1 declared.\n  Confirm by --actions ask or --accept NAME: LikePost, ReportSpam\n"
        in (capsys.readouterr().err)
    )
    spec = tmp_path / "hello.vsa"
    spec.write_text(
        'spec hello "Send it to Ann"\nimport chat\nallow SendChat(chat_name = "Ann").\ndone when SendChat earlier.\n\n'
        'test "only to her" {\n  attempt SendChat(chat_name = "Bob") => block because chat_name.\n'
        '  attempt SendChat(chat_name = "Ann").\n  finish.\n}\n',
        encoding="utf-8",
    )
    assert run(["test", str(spec)]) == 0, capsys.readouterr()


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["--accept", "SendCat"], "did you mean `SendChat`?"),
        (["--accept", "Zzz"], "the proposed ones are SendChat, LikePost, ReportSpam"),
        (["--actions", "ask"], "--actions ask needs a terminal"),
        (["--actions", "some"], "'some' is not one of"),
    ],
)
def test_what_cannot_be_confirmed(
    args: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "Chat.json").write_text(json.dumps(CHAT), encoding="utf-8")
    out = tmp_path / "chat.vsa"
    assert run(["import", str(tmp_path / "Chat.json"), "-o", str(out), *args]) == 2
    assert message in capsys.readouterr().err
    assert not out.exists()


def test_a_person_is_asked_about_each(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "Chat.json").write_text(json.dumps(CHAT), encoding="utf-8")
    monkeypatch.setattr(sys, "stdin", Typed("y\nn\n\n"))
    assert run(["import", str(tmp_path / "Chat.json"), "--actions", "ask", "--json"]) == 0
    out, err = capsys.readouterr()
    data = json.loads(out[out.index("{") :])
    assert [(each["name"], each["accepted"]) for each in data["actions"]] == [
        ("SendChat", True),
        ("LikePost", False),
        ("ReportSpam", False),
    ]
    assert data["actions"][0]["evidence"] == ["Chat has the flag send_clicked"]
    assert "\naction SendChat(" in data["text"] and "\n// action LikePost" in data["text"]
    assert '[2 of 3] action LikePost "Like post"' in err and "Chat has the flag send_clicked" in err
    monkeypatch.setattr(sys, "stdin", Typed("y\n"))
    out_file = tmp_path / "chat.vsa"
    assert run(["import", str(tmp_path / "Chat.json"), "--actions", "ask", "-o", str(out_file)]) == 2
    assert "interrupted: nothing was written" in capsys.readouterr().err and not out_file.exists()


# ---- a model ------------------------------------------------------------------------------------------


def _answered(tmp_path: Path, *answers: str) -> list[str]:
    folder = tmp_path / "asked"
    folder.mkdir(exist_ok=True)
    for number, answer in enumerate(answers, 1):
        (folder / f"{number:06}.answer.txt").write_text(answer, encoding="utf-8")
    (tmp_path / "Chat.json").write_text(json.dumps(CHAT), encoding="utf-8")
    return ["import", str(tmp_path / "Chat.json"), "--endpoint-dir", str(folder), "--timeout", "1", "--json"]


def test_a_model_must_quote_the_schema(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    good = {
        "name": "LeaveChat",
        "does": "Leave",
        "relation": "Chat",
        "parameters": ["chat_name"],
        "quote": "a CHAT",
    }
    bad = [
        {**good, "name": "A1", "quote": "never said"},
        {**good, "name": "A2", "relation": "Chart"},
        {**good, "name": "A3", "parameters": ["nick"]},
        {**good, "name": "A4", "parameters": ["chat_name", "chat_name"]},
        {**good, "name": "a b\n}"},
        {**good, "name": "SendChat"},
        {**good, "name": "A5", "parameters": "chat_name"},
        {**good, "name": "A6", "parameters": [{}]},
        7,
    ]
    answer = "<think>{</think>So:\n```json\n" + json.dumps({"actions": [good, *bad]}) + "\n```"
    assert run(_answered(tmp_path, "no JSON", answer)) == 0
    out, err = capsys.readouterr()
    found = json.loads(out)["actions"]
    assert [each["name"] for each in found] == ["SendChat", "LikePost", "ReportSpam", "LeaveChat"]
    assert found[-1]["evidence"] == ['gpt-4o quotes Chat: "a CHAT"']
    assert found[-1]["declaration"] == 'action LeaveChat(chat_name: Text) "Leave"'
    assert "9 actions of the model's left out" in err
    request = json.loads((tmp_path / "asked" / "000001.request.json").read_text(encoding="utf-8"))
    (message,) = request["messages"]
    assert (
        'state Chat key (chat_name) "A chat"' in message["content"]
        and "SendChat, LikePost" in message["content"]
    )


def test_a_model_without_an_answer(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(_answered(tmp_path, "no", '{"actions": 1}')) == 2
    assert "did not answer with the JSON object" in capsys.readouterr().err
    clauses = tmp_path / "c.txt"
    clauses.write_text("Chat → Done", encoding="utf-8")
    assert (
        run(["import", str(clauses), "--app", "chat", "--model", "m", "--endpoint-dir", str(tmp_path)]) == 2
    )
    assert "only about a JSON state schema" in capsys.readouterr().err


# ---- modules made on the way ----------------------------------------------------------------------------


def test_clauses_may_name_a_confirmed_action(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "Chat.json").write_text(json.dumps(CHAT), encoding="utf-8")
    (tmp_path / "c.txt").write_text("Chat → SendChat\nSendChat → Done", encoding="utf-8")
    command = [
        "import",
        str(tmp_path / "c.txt"),
        "--app",
        str(tmp_path / "Chat.json"),
        "--accept",
        "SendChat",
    ]
    assert run([*command, "-o", str(tmp_path / "s.vsa")]) == 0, capsys.readouterr()
    assert "allow SendChat when Chat." in (tmp_path / "s.vsa").read_text(encoding="utf-8")
    assert run(["check", str(tmp_path / "s.vsa"), str(tmp_path / "chat.vsa")]) == 0
    assert (
        run(["import", str(tmp_path / "c.txt"), "--app", str(tmp_path / "chat.vsa"), "--accept", "SendChat"])
        == 2
    )
    assert "no action `SendChat` is proposed" in capsys.readouterr().err


SPEC = (
    '```vsa\nspec s "x"\nimport chat\nallow SendChat(chat_name = "Ann").\ndone when SendChat earlier.\n```\n'
)


def test_encode_imports_a_schema(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked = tmp_path / "asked"
    asked.mkdir()
    (tmp_path / "Chat.json").write_text(json.dumps(CHAT), encoding="utf-8")
    (asked / "000001.answer.txt").write_text(SPEC, encoding="utf-8")

    def encode(name: str, *more: str) -> tuple[int, str]:
        place = str(tmp_path / name)
        options = ["--endpoint-dir", str(asked), "--timeout", "0.01", "--no-review", "--today", "2026-04-01"]
        status = run(
            ["encode", "Write to Ann", "--app", str(tmp_path / "Chat.json"), "-o", place, *options, *more]
        )
        return status, capsys.readouterr().err

    status, err = encode("s.vsa", "--accept", "SendChat")
    assert status == 0 and f"wrote the app module {tmp_path / 'chat.vsa'} from" in err
    assert "3 actions proposed, 1 declared" in err
    module = (tmp_path / "chat.vsa").read_text(encoding="utf-8")
    assert "\naction SendChat(" in module and "\n// action LikePost" in module
    assert run(["check", str(tmp_path / "s.vsa")]) == 0
    status, err = encode("s.vsa", "--accept", "SendChat", "--force")
    assert status == 0 and "using the app module" in err
    status, err = encode("t.vsa")  # the module that this would make is another one
    assert status == 2 and "exists and is not what" in err
    assert (tmp_path / "chat.vsa").read_text(encoding="utf-8") == module
    (tmp_path / "Chat.json").write_text('{"A": 1}', encoding="utf-8")
    status, err = encode("t.vsa")
    assert status == 2 and "E0011" in err and "an app's schema has errors" in err
    assert not (tmp_path / "t.vsa").exists()


# ---- the authors' schemas -------------------------------------------------------------------------------


def test_the_page_says_how_many_are_proposed(shared_data: Path, tmp_path: Path) -> None:
    """All that are proposed for the authors' schemas check when they are declared; the page has their number."""
    number = 0
    for file in sorted((shared_data / "vsa" / "predicates").glob("*.json")):
        imported = import_schema(read_source(file))
        proposals = propose(imported.declared)
        accepted = {each.name for each in proposals}
        loaded = load_text(with_actions(imported.text, proposals, accepted, listed=True))
        assert loaded.program is not None, (file.name, loaded.diagnostics[:3])
        number += sum(
            r.sort == "action" and r.module == imported.module for r in loaded.program.relations.values()
        )
    page = section("exchange", "`vsac import`")
    assert f"{number} actions are proposed" in " ".join(page.split())


def test_the_documented_proposals() -> None:
    page = section("exchange", "`vsac import`").partition("### Actions")[2]
    schema, block = page.split("```json\n")[1].split("```")[0], page.split("```vsa\n")[1].split("```")[0]
    imported = import_schema(Source.from_text(schema, "a.json"))
    text = with_actions(imported.text, propose(imported.declared), set(), listed=True)
    assert text.removeprefix(imported.text) == f"\n{block}"
