"""Traces and metrics of a fleet server for OpenTelemetry: by its own packages, over OTLP and HTTP to one collector.

Needs the extra ``otel``. A span is a request, by its route, or a transaction that kept what devices sent. As in the
figures for Prometheus, names of sessions, devices and people are in none of it. What else there is to choose
(sampling, intervals, headers) the environment says, as OpenTelemetry defines it (``OTEL_*``).
"""

from collections.abc import Iterable
from typing import Any, Final

from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.metrics import CallbackOptions, Observation
from opentelemetry.propagate import extract
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import PeriodicExportingMetricReader
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.trace import SpanKind, Status, StatusCode

from vsalang.tools.fleet.live.metrics import BOUNDS, Figure
from vsalang.tools.fleet.live.server import FleetServer, WorkSpan

NAME: Final = "vsalang.fleet"
_PATIENCE: Final = 2.0
"""Seconds for one export: a collector that is away keeps nobody waiting when the server stops."""


class Telemetry:
    """What a server tells a collector, from its start to its stop.

    Args:
        server: which has not started.
        url: of the collector, without a path: ``/v1/traces`` and ``/v1/metrics`` are added.
        version: of vsalang.
    """

    def __init__(self, server: FleetServer, url: str, version: str) -> None:
        resource = Resource.create({"service.name": "vsalang-fleet", "service.version": version})
        traces = OTLPSpanExporter(endpoint=f"{url}/v1/traces", timeout=_PATIENCE)
        self._traces = TracerProvider(resource=resource)
        self._traces.add_span_processor(BatchSpanProcessor(traces, export_timeout_millis=1000 * _PATIENCE))
        self._tracer = self._traces.get_tracer(NAME, version)
        metrics = OTLPMetricExporter(endpoint=f"{url}/v1/metrics", timeout=_PATIENCE)
        reader = PeriodicExportingMetricReader(metrics, export_timeout_millis=1000 * _PATIENCE)
        self._metrics = MeterProvider([reader], resource)
        self._server = server
        meter = self._metrics.get_meter(NAME, version)
        for figure in server.figures():
            make: Any = (
                meter.create_observable_gauge if figure.kind == "gauge" else meter.create_observable_counter
            )
            make(
                f"{NAME}.{figure.name.removesuffix('_total')}",
                [_Observer(self, figure)],
                description=figure.help,
            )
        self._seconds = meter.create_histogram(
            f"{NAME}.request_seconds", "s", "Until a request was answered.",
            explicit_bucket_boundaries_advisory=BOUNDS,
        )  # fmt: skip
        server.observers.append(self.answered)
        server.closers.append(self.close)

    def answered(self, what: WorkSpan) -> None:
        """A request was answered, or a transaction has ended: it becomes a span."""
        context = extract(what.headers)
        span = self._tracer.start_span(
            what.name, context, SpanKind.SERVER if what.server else SpanKind.INTERNAL,
            attributes=dict(what.attributes), start_time=what.began,
        )  # fmt: skip
        if what.failed:
            span.set_status(Status(StatusCode.ERROR))
        span.end(what.ended)
        if what.server:
            self._seconds.record((what.ended - what.began) / 1e9, {"http.route": what.name.partition(" ")[2]})

    def close(self) -> None:
        """Send what waits, and let the collector go."""
        self._traces.shutdown()
        self._metrics.shutdown(1000 * _PATIENCE)

    def value(self, figure: Figure) -> Figure:
        """A figure as it is now."""
        return next(each for each in self._server.figures() if each.name == figure.name)


class _Observer:
    """Gives one figure when it is asked for."""

    def __init__(self, telemetry: Telemetry, figure: Figure) -> None:
        self._telemetry, self._figure = telemetry, figure

    def __call__(self, options: CallbackOptions) -> Iterable[Observation]:
        figure = self._telemetry.value(self._figure)
        return [
            Observation(value, {figure.label: name} if figure.label else {})
            for name, value in figure.values.items()
        ]
