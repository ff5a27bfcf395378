"""Rules over many devices by Spark say what a server's say, on the same lines in the same order."""

import json
import os
import shutil
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.tools.fleet_live.fleet import Fleet, fleet_in, written
from vsalang.tools.fleet.live.fleet_rules import FleetRules, read_rules
from vsalang.tools.fleet.live.server import running

pytestmark = [
    pytest.mark.fleet,
    pytest.mark.skipif(shutil.which("java") is None, reason="needs Java"),
]
pytest.importorskip("pyspark", reason="needs the extra spark")
pytest.importorskip("google.protobuf", reason="needs the extra spark")
DEVICES = 7


def blocked(action: str) -> tuple[str, dict[str, Any]]:
    reason = {"level": "block", "kind": "unlicensed", "rule": "R-1", "message": "m"}
    return "propose", {"verdict": {"level": "block", "proposal": action, "reasons": [reason]}}


@pytest.fixture
def batches(tmp_path: Path) -> list[list[tuple[str, str, Path]]]:
    """Journals by batch, each of a tenant and a device: the last lines of each device stand in a later batch."""
    made = []
    for nth in range(DEVICES):
        for tenant, action in (("main", "Pay"), ("other", "Send" if nth < 4 else "Pay")):
            name = f"{tenant}-{nth}"
            records = [("session", {"settings": {}, "number": nth, "tenant": tenant}), blocked(action)]
            if nth == 2:
                records.append(("end", {"completed": True}))
            path = written(tmp_path / f"{name}.jsonl", records)  # type: ignore[arg-type]
            made.append((tenant, name, path))
    return [made[:6], made[6:9], made[9:12], made[12:]]


def server_says(folder: Path, batches: list[list[tuple[str, str, Path]]]) -> list[list[tuple[str, ...]]]:
    """What a server's rules raise after each batch."""
    fleet = fleet_in(folder)
    with running(fleet.server_with(silent=-1.0)) as server:
        fleet.server = server
        rules = FleetRules(server, fleet.console.events, read_rules([]))
        said, known = [], 0
        for batch in batches:
            for tenant, device, path in batch:
                _send(fleet, tenant, device, path)
            for tenant in ("main", "other"):
                fleet.on_loop(
                    lambda tenant=tenant: rules._raise(tenant, rules.judge(tenant, *rules.rows(tenant)))
                )
            alarms = fleet.person("ops").get("/api/alarms?kind=fleet")[1]["alarms"][::-1]
            said.append(sorted((one["tenant"], one["rule"], one["level"], one["category"], one["text"])
                               for one in alarms[known:]))  # fmt: skip
            known = len(alarms)
    return said


def _send(fleet: Fleet, tenant: str, device: str, path: Path) -> None:
    """As a device of its own, which needs a token."""
    from vsalang.tools.fleet.live.access import ACCESS_FILE, changing, write_access

    place = fleet.folder / ACCESS_FILE
    with changing(place) as access:
        new, fleet.tokens[device] = access.with_new(device, tenant)
        write_access(place, new)
    fleet.send(path, device)


@pytest.fixture
def spark(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    from pyspark.sql import SparkSession

    from vsalang.tools.fleet.live.streaming import ROCKSDB, STORE

    monkeypatch.setitem(os.environ, "PYSPARK_PYTHON", sys.executable)
    builder: Any = SparkSession.builder.master("local[2]").appName("stream")
    settings = dict.fromkeys(("spark.driver.host", "spark.driver.bindAddress"), "127.0.0.1") | {
        STORE: ROCKSDB, "spark.ui.enabled": "false", "spark.sql.shuffle.partitions": "2", "spark.log.level": "ERROR",
    }  # fmt: skip
    for name, value in settings.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    yield session
    session.stop()


def test_spark_says_what_the_server_says(
    tmp_path: Path, batches: list[list[tuple[str, str, Path]]], spark: Any
) -> None:
    """Each batch is a file, with its last line twice; after the second the stream is stopped, and goes on."""
    from vsalang.tools.fleet.live.streaming import COLUMNS as IN
    from vsalang.tools.fleet.live.streaming import alarms_of

    wanted = server_says(tmp_path / "fleet", batches)
    assert {one[1] for batch in wanted for one in batch} == {"FLEET-1", "FLEET-2"}
    source, out = tmp_path / "source", tmp_path / "out"
    source.mkdir()

    def hear(name: str, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """What is said of one more file. The query ends then; what it knows is in its checkpoint."""
        (source / f"{name}.json").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
        before = set(out.glob("*.json"))
        lines = spark.readStream.schema(IN).json(str(source))
        query = (
            alarms_of(lines, silent=-1.0, tick=0.0)
            .writeStream.format("json")
            .option("checkpointLocation", str(tmp_path / "checkpoint"))
            .start(str(out))
        )
        until = time.monotonic() + 300  # time goes on without data, so that no trigger says that all is done
        while not any(progress.numInputRows for progress in query.recentProgress):
            assert query.isActive and time.monotonic() < until, query.exception()
            time.sleep(0.1)
        query.stop()
        return [
            json.loads(text)
            for file in set(out.glob("*.json")) - before
            for text in file.read_text().splitlines()
        ]

    for nth, batch in enumerate(batches):
        rows = []
        for tenant, device, path in batch:
            lines = path.read_text().splitlines()
            about = {
                "tenant": tenant,
                "device": device,
                "session": json.loads(lines[0])["hash"],
                "at": 1000.0 + nth,
            }
            rows += [{**about, "line": text} for text in (*lines, lines[-1])]
        said = hear(str(nth), rows)
        assert {one["kind"] for one in said} <= {"fleet"}
        parts = ("tenant", "rule", "level", "category", "text")
        assert sorted(tuple(one[name] for name in parts) for one in said) == wanted[nth]
    # a line that does not follow those before is an alarm, and changes nothing
    forged = {**about, "line": lines[-1].replace('"n": 2', '"n": 9')}
    assert [one["kind"] for one in hear("forged", [forged])] == ["forked"]
