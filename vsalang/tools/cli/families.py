"""Every command of ``vsac``: by what people look for, and where its code is. Nothing is imported for it."""

from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple


class Entry(NamedTuple):
    """A command, or a family of commands.

    Attributes:
        place: ``MODULE`` of `vsalang.tools.cli`, or ``MODULE:NAME`` of a command in it; empty: a family.
        help: its line in the help.
        inside: the commands of a family.
        about: what its own help says in addition.
    """

    place: str
    help: str
    inside: Mapping[str, "Entry"] = {}
    about: str = ""


_PROVE: Final = {
    "verify": Entry("verify", "Prove properties of specs with a solver."),
    "diff": Entry("diff", "Say what a new version of a spec permits otherwise, with tests."),
    "tests": Entry("testgen", "Write tests that show each clause and condition at work."),
    "conflicts": Entry("conflicts", "Say what a task asks for that policies forbid or ask about."),
    "probe": Entry("probe", "Ask whether a spec means what was meant, by states at its edge."),
    "plan": Entry("plan", "Find a shortest run to the end of a task, or one that breaks a policy."),
}
_TRACE: Final = {
    "baseline": Entry("trace:baseline", "Record which files change without any action."),
    "show": Entry("trace:show", "Say what rules can see of a phone's system, or of a JOURNAL."),
}
_OF_TRACES: Final = """
What is traced are files, permissions, connections and settings: what --trace or vsac.toml says; where neither says
anything, all of it.
"""
_CERTIFICATES: Final = {
    "list": Entry("memory_certificates:list_", "List what is remembered, the newest first."),
    "show": Entry("memory_certificates:show", "Show a certificate whole."),
    "add": Entry("memory_certificates:add", "Remember the actions of a recorded session."),
    "export": Entry("memory_certificates:export", "Write certificates whole, as JSON."),
    "delete": Entry("memory_certificates:delete", "Forget certificates."),
}
_OF_CERTIFICATES: Final = """
A certificate says what was done on which screen, and with which result. Sessions remember only with
`vsac run --certificates`. A memory permits nothing: it may warn and ask (`Tried`).
"""
_MEMORY: Final = {
    "list": Entry("memory:list_", "List what is remembered, the newest first."),
    "show": Entry("memory:show", "Show an entry whole."),
    "add": Entry("memory:add", "Remember a spec that proved right."),
    "export": Entry("memory:export", "Write entries whole, as JSON."),
    "delete": Entry("memory:delete", "Forget entries."),
    "certificates": Entry("", "Look after what is remembered of actions.", _CERTIFICATES, _OF_CERTIFICATES),
}
_OF_MEMORIES: Final = """
These are the specs of earlier tasks that `vsac encode` shows to the model, and what is remembered of actions. Only
specs that proved right are remembered: a task was completed under them, or you confirmed them.
"""
_ANSWERS: Final = {
    "list": Entry("answers:list_", "List what is kept of unknown controls, the newest first."),
    "accept": Entry("answers:accept", "Accept answers, and write them as an app module."),
    "drop": Entry("answers:drop", "Forget answers."),
}
_OF_ANSWERS: Final = """
These are answers about controls of which nobody knew what they do: what a model said (`vsac run --effects-model`), and
what the next screen showed. Until a person accepts one it only adds duty.
"""
_SIM: Final = {
    "new": Entry("sim_new:new", "Make a phone out of screens of a real one."),
    "serve": Entry("sim:serve", "Run a phone until Ctrl-C, for adb and agents."),
    "screenshot": Entry("sim:screenshot", "Draw a phone's screen as a PNG."),
    "check": Entry("sim:check", "Check phones and their scenarios."),
}
_OF_SIMULATED: Final = """
NAME is a phone that comes with vsalang (`vsac phone list` lists them) or a folder with a phone.toml.
"""
_PHONE: Final = {
    "list": Entry("devices", "List the devices that can be guarded."),
    "doctor": Entry("doctor", "Say what is missing to guard a phone, and how to fix it."),
    "trace": Entry(
        "", "Say what rules can see of a phone's system, and what changes by itself.", _TRACE, _OF_TRACES
    ),
    "sim": Entry("", "Work with simulated phones.", _SIM, _OF_SIMULATED),
}
_JOURNAL: Final = {
    "show": Entry("show", "Show a recorded session, as text or as a page."),
    "replay": Entry("replay", "Judge a recorded session again, by this or another spec."),
    "certify": Entry("certify", "Say what each action of a recorded session did, and why it could."),
}
_SCREEN: Final = {
    "facts": Entry("facts", "Show the facts that rules read from a screen."),
    "controls": Entry("controls", "Show what a screen offers: its controls, their kinds and values."),
    "delta": Entry("delta", "Show what differs between two screens, such as before and after a tap."),
    "order": Entry("graph", "Show which controls of a screen come before which, by the rules."),
    "read": Entry("read", "Show what an app module reads from captured screens, and compare."),
}
_MAP: Final = {
    "build": Entry("utg:build", "Make a map of an app, and write it."),
    "show": Entry("utg:show", "Show a map: screens, and which gestures lead where."),
    "way": Entry("utg_way:way", "Find the way from one screen to another."),
    "diff": Entry("utg:diff", "Say what differs between two maps."),
    "coverage": Entry("utg:coverage", "Say how much of a recording a map knows."),
    "target": Entry("target", "Say which screens a task is about."),
    "propose": Entry("utg_propose:propose", "Propose an app module from dumps and recordings."),
    "mine": Entry("contracts:mine", "Propose contracts from what controls were seen to do."),
}
_OF_MAPS: Final = """
A map (UI transition graph) holds the screens of an app, and by which gestures one comes from one to another, with how
often that worked. SOURCE is a map (.utg.json), an app module (a file, or a name such as apps.settings), a recording (a
journal, or walks of any format that `vsac record` follows; DroidBot's utg.js), an .apk, or the folder into which
apktool decoded one.
"""
_TOKENS: Final = {
    "add": Entry("fleet_tokens:add", "Make a token for a device or a person."),
    "list": Entry("fleet_tokens:list_", "List who has a token."),
    "revoke": Entry("fleet_tokens:revoke", "End a token at once."),
}
_FLEET: Final = {
    "serve": Entry("fleet_serve", "Serve a fleet: journals in, a console for people."),
    "send": Entry("fleet_send", "Send what is left of recorded sessions."),
    "demo": Entry("fleet_demo", "Watch a fleet: server, simulated phones and agents by one command."),
    "backup": Entry("fleet_backup", "Copy all that a fleet server keeps, while it runs."),
    "token": Entry("", "Say who may send, look, approve and administer.", _TOKENS),
    "import": Entry("fleet_import", "Bring journals of many devices into one store."),
    "query": Entry("fleet_query", "Ask a store: rules, contracts, alarms, changes; or in SQL."),
    "audit": Entry("fleet_audit", "Say what a policy would have changed, over all sessions."),
    "export": Entry("fleet_compact:export", "Write the journal of a session of a store."),
    "compact": Entry("fleet_compact", "Make a store smaller: few parts, nothing old, no secrets."),
    "upgrade": Entry("fleet_upgrade", "Bring what an older version kept to the form of this version."),
}
_OF_FLEETS: Final = """
Journals of many devices go into one store, which is asked. Nothing in a store changes what a guard decides.
"""
_RANK: Final = {
    "candidates": Entry("rank_candidates", "List what could be done next on a screen, and what not."),
    "pairs": Entry("rank_pairs", "Write pairs of a better and a worse action, for training."),
    "run": Entry("rank_run", "Run a task with an agent that chooses among what may be done."),
    "annotate": Entry("rank_annotate", "Have a person say what was right in recorded runs."),
    "train": Entry("rank_train", "Train a scorer on pairs, for a pooling server."),
}
_OF_RANKS: Final = """
What could be done on a screen is enumerated, the guard leaves out what it blocks, and a scorer orders the rest. No
scorer permits anything.
"""

GROUPS: Final[Mapping[str, Mapping[str, Entry]]] = {
    "Write": {
        "init": Entry("init", "Start a project."),
        "demo": Entry("demo", "Watch the guard at work, on a simulated phone."),
        "check": Entry("check", "Report the errors of .vsa files."),
        "test": Entry("test", "Run the tests that .vsa files hold."),
        "lint": Entry("lint", "Report what is allowed but probably not meant."),
        "fmt": Entry("fmt", "Write .vsa files in the one style."),
        "explain": Entry("explain", "Say what a code such as E0201 means."),
        "describe": Entry("describe", "Say in plain words what a spec permits."),
    },
    "Ask": {
        "query": Entry("query", "Ask a condition in a state: rows, and why each matched; -i: a dialogue."),
        "prove": Entry("", "Ask the solver: properties, differences, tests, plans.", _PROVE),
        "bench": Entry("bench", "Measure what a spec costs: a turn, each rule, a session."),
    },
    "Guard": {
        "run": Entry("run", "Run an agent on a device, guarded."),
        "guard": Entry("guard", "Guard any program that drives a phone through adb."),
        "record": Entry("record", "Record a session of a device, or follow recorded walks."),
        "serve": Entry("serve", "Serve a guarded session to apps that report their own state."),
        "mcp": Entry("mcp", "Offer a guarded phone to clients of the Model Context Protocol."),
        "phone": Entry("", "Find phones, see what is missing, simulate them.", _PHONE),
    },
    "Look back": {
        "journal": Entry("", "Show recorded sessions, and judge them again.", _JOURNAL),
        "audit": Entry("audit", "Say where policies object to recorded walks, and score it."),
        "fleet": Entry("", "Keep journals of many devices, ask and audit them all.", _FLEET, _OF_FLEETS),
        "memory": Entry("", "Keep specs that proved right, from which encode learns.", _MEMORY, _OF_MEMORIES),
        "answers": Entry(
            "", "Look through answers about unknown controls, and accept them.", _ANSWERS, _OF_ANSWERS
        ),
    },
    "Apps": {
        "screen": Entry("", "See a screen as rules do.", _SCREEN),
        "map": Entry("", "Make and use maps of apps; propose app modules and contracts.", _MAP, _OF_MAPS),
    },
    "Models": {
        "encode": Entry("encode", "Write a spec from an instruction, with a language model."),
        "rank": Entry("", "Choose among what may be done, and learn to.", _RANK, _OF_RANKS),
    },
    "Exchange": {
        "import": Entry("import_", "Make .vsa of a JSON state schema or of Horn clauses."),
        "export": Entry("export", "Write a program as JSON, Datalog, Horn clauses, a graph, Python."),
        "lsp": Entry("lsp", "Serve editors (Language Server Protocol)."),
    },
}
"""The groups of ``vsac --help``, in its order. To add a command, add its line here."""

COMMANDS: Final[Mapping[str, Entry]] = {
    name: entry for group in GROUPS.values() for name, entry in group.items()
}
"""What stands at the top."""

OLD: Final[Mapping[str, tuple[str, ...]]] = {
    "verify": ("prove", "verify"),
    "diff": ("prove", "diff"),
    "testgen": ("prove", "tests"),
    "conflicts": ("prove", "conflicts"),
    "probe": ("prove", "probe"),
    "plan": ("prove", "plan"),
    "repl": ("query", "-i"),
    "devices": ("phone", "list"),
    "doctor": ("phone", "doctor"),
    "trace": ("phone", "trace"),
    "sim": ("phone", "sim"),
    "show": ("journal", "show"),
    "replay": ("journal", "replay"),
    "certify": ("journal", "certify"),
    "facts": ("screen", "facts"),
    "controls": ("screen", "controls"),
    "delta": ("screen", "delta"),
    "graph": ("screen", "order"),
    "read": ("screen", "read"),
    "utg": ("map",),
    "target": ("map", "target"),
    "contracts": ("map",),
    "compile": ("export", "--to", "python"),
}
"""Names of before, which work until 0.2 and stand in no list: the words that take their place."""


def every(entries: Mapping[str, Entry] = COMMANDS) -> Iterator[tuple[str, Entry]]:
    """Each command that does something, with the words that call it."""
    for name, entry in entries.items():
        if entry.place:
            yield name, entry
        else:
            yield from ((f"{name} {below}", each) for below, each in every(entry.inside))
