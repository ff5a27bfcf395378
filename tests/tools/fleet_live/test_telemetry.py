"""Traces and metrics by OpenTelemetry, read by a small collector of OTLP over HTTP on this machine."""

import gzip
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from tests.commands import vsac
from tests.tools.fleet_live.fleet import fleet_in
from vsalang.tools.fleet.live.client import collector_url
from vsalang.tools.fleet.live.server import running
from vsalang.tools.fleet.live.serving import console_server

pytest.importorskip("opentelemetry.exporter.otlp.proto.http", reason="needs the extra otel")
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from vsalang.tools.fleet.live.telemetry import Telemetry

TRACE = "0af7651916cd43dd8448eb211c80319c"


@dataclass
class Collector:
    """What a collector was sent, by path."""

    bodies: dict[str, list[bytes]] = field(default_factory=dict)
    url: str = ""
    status: int = 200

    def spans(self) -> list[Any]:
        return [
            span
            for body in self.bodies.get("/v1/traces", [])
            for resource in ExportTraceServiceRequest.FromString(body).resource_spans
            for scope in resource.scope_spans
            for span in scope.spans
        ]

    def points(self) -> dict[str, dict[str, Any]]:
        """The newest points of each metric, by its label."""
        found: dict[str, dict[str, Any]] = {}
        for body in self.bodies.get("/v1/metrics", []):
            for resource in ExportMetricsServiceRequest.FromString(body).resource_metrics:
                for scope in resource.scope_metrics:
                    for metric in scope.metrics:
                        points = getattr(metric, metric.WhichOneof("data")).data_points
                        found[metric.name] = {
                            ",".join(each.value.string_value for each in point.attributes): point
                            for point in points
                        }
        return found


@pytest.fixture
def collector() -> Iterator[Collector]:
    made = Collector()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            if self.headers.get("Content-Encoding") == "gzip":
                body = gzip.decompress(body)
            made.bodies.setdefault(self.path, []).append(body)
            self.send_response(made.status)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    made.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield made
    server.shutdown()
    server.server_close()
    thread.join()


def test_a_collector_gets_traces_and_metrics(tmp_path: Path, collector: Collector, journal: Path) -> None:
    fleet = fleet_in(tmp_path / "fleet")

    def make() -> Any:
        server = console_server(fleet.folder)
        Telemetry(server, collector.url, "1.2.3")
        return server

    with running(make) as server:
        fleet.server = server
        sender = fleet.send(journal)
        parent = f"00-{TRACE}-b7ad6b7169203331-01"
        fleet.request("GET", "/health", traceparent=parent)
        fleet.request("GET", "/nothing/here")
        fleet.request("PROPFIND", "/health")
        metrics = fleet.request("GET", "/metrics", **fleet.bearer("ops"))[1]
        assert isinstance(metrics, str)
        kept = server.intake.kept
    spans = {span.name: span for span in collector.spans()}
    assert {
        "POST /v1/journal/{session}",
        "keep",
        "GET /health",
        "GET unknown",
        "GET /metrics",
        "_OTHER unknown",
    } <= set(spans)
    assert spans["GET /health"].trace_id.hex() == TRACE and spans["keep"].trace_id.hex() != TRACE
    statuses = {
        each.key: each.value
        for span in collector.spans()
        for each in span.attributes
        if span.name == "GET unknown"
    }
    assert statuses["http.response.status_code"].int_value == 404
    assert all(0 < span.start_time_unix_nano <= span.end_time_unix_nano for span in collector.spans())
    sizes = [
        each.value.int_value
        for span in collector.spans()
        for each in span.attributes
        if each.key == "vsalang.bytes"
    ]
    assert sum(sizes) == len(journal.read_bytes())
    points = collector.points()
    assert points["vsalang.fleet.lines"][""].as_int == kept == len(journal.read_text().splitlines())
    assert sum(point.as_int for point in points["vsalang.fleet.sessions"].values()) == 1
    assert points["vsalang.fleet.requests"][""].as_int == sum(span.kind == 2 for span in collector.spans())
    seconds = points["vsalang.fleet.request_seconds"]
    assert seconds["/health"].count == 1 and seconds["/v1/journal/{session}"].count >= 2
    # nobody is named in any of it
    told = b"".join(body for bodies in collector.bodies.values() for body in bodies)
    for name in ("phone1", "main", sender.session, "ops", *fleet.tokens.values()):
        assert name.encode() not in told
    assert b"vsalang-fleet" in told and b"1.2.3" in told


@pytest.mark.slow
def test_a_collector_that_is_away_disturbs_nobody(tmp_path: Path, journal: Path) -> None:
    fleet = fleet_in(tmp_path / "fleet")

    def make() -> Any:
        server = fleet.server_with()()
        Telemetry(server, "http://127.0.0.1:9", "1")
        return server

    with running(make) as server:
        fleet.server = server
        assert fleet.send(journal).done


def test_where_a_collector_may_be(tmp_path: Path) -> None:
    assert collector_url("http://127.0.0.1:4318/") == "http://127.0.0.1:4318"
    assert collector_url("https://collector.example") == "https://collector.example"
    told = vsac(
        "fleet", "serve", "--data", tmp_path / "f", "--port", "0", "--otlp", "http://collector.example"
    )
    assert told.returncode == 2 and "what is measured would be sent over it" in told.stderr
