"""Models with the chat-completions protocol of OpenAI: its own service, others, and servers on this machine.

The peer is not trusted: its responses are limited in size and time, and read without assuming a form. The key is only
in the request's header.
"""

import base64
import importlib
import json
import os
import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from typing import Any, Final
from urllib.parse import urlsplit

from vsalang.base.diagnostics.display import safe
from vsalang.base.installing import install_extra
from vsalang.models.client.deadline import Deadline
from vsalang.models.client.endpoint import OPENAI, address, is_loopback, pause, too_long
from vsalang.models.client.language_model import (
    Answer,
    Message,
    ModelError,
    UnusableAnswer,
    counts,
    readable,
    seconds,
)
from vsalang.models.client.response_format import UNSUPPORTED, ResponseFormat

MAX_RESPONSE: Final = 8 * 1024 * 1024
"""A longer response (in bytes) is not read."""
_SHOWN: Final = 300
_ADDRESS: Final = "is this the address of a chat-completions endpoint? It often ends in /v1"
_KEY_LIKE = re.compile(r"\b(?:sk|key|pk)-[\w*.\-]{4,}|\bBearer\s+\S+", re.IGNORECASE)
_NO_KEY: Final = "no-key"  # the client requires one; servers on this machine ignore it


class _PeerFault(Exception):
    """The peer sends too much, too slowly, or compressed."""


class _ErrorResponse(ModelError):
    """A response with an error status."""

    def __init__(self, message: str, hint: str, status: int) -> None:
        super().__init__(message, hint)
        self.status = status


@cache
def _trusted(library: str, *places: str | None) -> Any:
    """The certificates that a client trusts, of the system or where the environment says: reading them takes long."""
    return importlib.import_module(library).create_ssl_context()


def _content(message: Message) -> str | list[dict[str, Any]]:
    """A message as the protocol writes it: with pictures it has parts, each picture a data URL."""
    if not message.pictures:
        return message.content
    urls = [
        f"data:image/png;base64,{base64.b64encode(picture).decode('ascii')}" for picture in message.pictures
    ]
    return [
        {"type": "text", "text": message.content},
        *({"type": "image_url", "image_url": {"url": url}} for url in urls),
    ]


class OpenAIModel:
    """Asks an OpenAI-compatible endpoint through the library ``openai``.

    Args:
        model: the model's name, as the endpoint knows it.
        base_url: the endpoint, such as ``http://localhost:11434/v1``; OPENAI_BASE_URL if left out, else OpenAI's.
        api_key: OPENAI_API_KEY if left out. None is needed where a `base_url` is given.
        temperature: 0 to 2; not sent if left out, since some models refuse it.
        seed: asks for repeatable answers; not sent if left out.
        timeout: the longest that one request may take, in seconds.
        retries: how often a request is sent again after a busy server or a lost connection (0 to 10).
        show: is given each piece of an answer when it arrives; the answer is then asked for as a stream.
        tell: is told when a request will be sent again.
        form: a schema to which the server is to hold its answers; one that refuses it is asked without it.

    Raises:
        ModelError: the library is missing, no key, or an endpoint that is not an address.
    """

    def __init__(
        self,
        model: str,
        *,
        base_url: str | None = None,
        api_key: str | None = None,
        temperature: float | None = None,
        seed: int | None = None,
        timeout: float = 120.0,
        retries: int = 2,
        show: Callable[[str], None] | None = None,
        tell: Callable[[str], None] | None = None,
        form: ResponseFormat | None = None,
    ) -> None:
        try:
            import openai
        except ImportError as error:
            raise ModelError(
                "this needs openai, which is not installed", install_extra("formalize")
            ) from error
        if not 0 < timeout <= 3600 or not 0 <= retries <= 10:
            raise ModelError("a request may take up to 3600 seconds and be sent again up to 10 times")
        base_url = base_url or os.environ.get("OPENAI_BASE_URL") or None
        key = api_key if api_key is not None else os.environ.get("OPENAI_API_KEY", "")
        key = key.strip()
        if not key and base_url is None:
            raise ModelError(
                "no API key is set",
                "set OPENAI_API_KEY, or name a server that needs none with --base-url (or OPENAI_BASE_URL)",
            )
        if not key.isascii() or any(char.isspace() or not char.isprintable() for char in key):
            raise ModelError("the API key holds characters that no key has", "was it copied whole?")
        self._secrets = [key] if len(key) >= 8 else []
        self._model = model
        self._key = bool(key)
        self._endpoint, password = address(base_url) if base_url else (OPENAI, "")
        if password:
            self._secrets.append(password)
        self._timeout = timeout
        self._options: dict[str, Any] = {}
        if temperature is not None:
            self._options["temperature"] = temperature
        if seed is not None:
            self._options["seed"] = seed
        if show is not None:
            self._options |= {"stream": True, "stream_options": {"include_usage": True}}
        self._show_piece = show or (lambda piece: None)
        self._form = form
        self._retries = retries
        self._tell = tell or (lambda text: None)
        self._deadline = 0.0
        self._begins: Deadline | None = None
        # httpx, or another library: the one that this release of the client uses
        library = next(
            base.__module__ for base in openai.DefaultHttpxClient.__mro__ if base.__name__ == "Client"
        )
        root = library.partition(".")[0]
        self._http: Any = importlib.import_module(root)
        http = openai.DefaultHttpxClient(
            event_hooks={"request": [self._on_request], "response": [self._on_response]},
            verify=_trusted(root, os.environ.get("SSL_CERT_FILE"), os.environ.get("SSL_CERT_DIR")),
            follow_redirects=False,  # what is asked goes where the user said, and nowhere else
        )
        self._client = openai.OpenAI(
            api_key=key or _NO_KEY,
            base_url=base_url,
            timeout=timeout,
            max_retries=retries,
            http_client=http,
            default_headers={
                "Accept-Encoding": "identity"
            },  # so that the limit on size also limits the memory
        )

    @property
    def name(self) -> str:
        return self._model

    @property
    def endpoint(self) -> str:
        """The address of the endpoint, without user name, password and query."""
        return self._endpoint

    @property
    def parameters(self) -> Mapping[str, Any]:
        return parameters(self._options.get("temperature"), self._options.get("seed"), self._form)

    @property
    def exposes_key(self) -> bool:
        """Whether a key is sent over an unencrypted connection that leaves this machine."""
        parts = urlsplit(self.endpoint)
        return self._key and parts.scheme == "http" and not is_loopback(parts.hostname or "")

    def redact(self, text: str) -> str:
        """The text without this model's key."""
        for secret in self._secrets:
            text = text.replace(secret, "[key]").replace(json.dumps(secret)[1:-1], "[key]")
        return text

    def ask(self, messages: Sequence[Message]) -> Answer:
        """Send the conversation and read the answer; see `Model.ask`."""
        held = self._form.parameters if self._form is not None else {}
        try:
            return self._sent(messages, held)
        except _ErrorResponse as error:
            if self._form is None or not held or error.status not in UNSUPPORTED:
                raise
            why = str(error)
        try:
            answer = self._sent(messages, {})
        except UnusableAnswer:
            self._form.refused(why)  # it answered
            raise
        self._form.refused(why)
        return answer

    def _sent(self, messages: Sequence[Message], more: Mapping[str, Any]) -> Answer:
        with (
            self._failures(),
            self._client.chat.completions.with_streaming_response.create(
                model=self._model,
                messages=[{"role": m.role, "content": _content(m)} for m in messages],  # type: ignore[misc]
                **self._options,
                **more,
            ) as response,
        ):
            if response.headers.get("content-type", "").startswith("text/event-stream"):
                return self._answer(self._streamed(_lines(response.iter_bytes())))
            body = bytes(response.read())
        return self._answer(self._read(body))

    def embed(self, texts: Sequence[str]) -> Any:
        """What the endpoint answers to the question for the vectors of some texts, as data.

        Raises:
            ModelError: it does not answer, or not with JSON.
        """
        with (
            self._failures(),
            self._client.embeddings.with_streaming_response.create(
                model=self._model, input=list(texts), encoding_format="float"
            ) as response,
        ):
            body = bytes(response.read())
        return self._read(body)

    def next_token(self, messages: Sequence[Message], top: int) -> Any:
        """What the endpoint answers to a conversation with one token, with the most probable ones, as data.

        A server that takes no ``max_tokens`` is asked with ``max_completion_tokens``.

        Args:
            top: how many tokens are told with their probability; servers have a limit, often 20.

        Raises:
            ModelError: it does not answer, not with JSON, or does not take the request.
        """
        try:
            return self._one_token(messages, top, "max_tokens")
        except _ErrorResponse as error:
            if error.status not in UNSUPPORTED or "max_completion_tokens" not in str(error):
                raise
        return self._one_token(messages, top, "max_completion_tokens")

    def _one_token(self, messages: Sequence[Message], top: int, limit: str) -> Any:
        with (
            self._failures(),
            self._client.chat.completions.with_streaming_response.create(
                model=self._model,
                messages=[{"role": m.role, "content": _content(m)} for m in messages],  # type: ignore[misc]
                logprobs=True,
                top_logprobs=top,
                **{**self._options, limit: 1},
            ) as response,
        ):
            body = bytes(response.read())
        return self._read(body)

    def classify(self, texts: Sequence[str]) -> Any:
        """What a pooling server (vLLM's ``/classify``) answers about some texts, as data.

        It is asked for the values before an activation, and again without that where it does not know the word.

        Raises:
            ModelError: it does not answer, not with JSON, or does not take the request.
        """
        body: dict[str, Any] = {"model": self._model, "input": list(texts)}
        try:
            return self._classified({**body, "use_activation": False})
        except _ErrorResponse as error:
            if error.status not in UNSUPPORTED or "use_activation" not in str(error):
                raise
        return self._classified(body)

    def _classified(self, body: Mapping[str, Any]) -> Any:
        # it stands next to the protocol of OpenAI, not in it
        url = f"{self._endpoint.removesuffix('/v1')}/classify"
        with self._failures():
            response = self._client.post(url, cast_to=self._http.Response, body=dict(body))
            data = bytes(response.content)
        return self._read(data)

    @contextmanager
    def _failures(self) -> Iterator[None]:
        """Makes every failure of the client a `ModelError`."""
        import openai

        try:
            yield
        except openai.APITimeoutError as error:
            raise self._slow() from error
        except openai.APIStatusError as error:
            refused = self._refused(error)
            raise _ErrorResponse(str(refused), refused.hint, error.status_code) from error
        except openai.OpenAIError as error:
            raise self._unreachable(error) from error
        except _PeerFault as error:
            raise ModelError(f"{self._place}: {error}") from error
        except (self._http.HTTPError, self._http.InvalidURL, self._http.StreamError, OSError) as error:
            raise self._unreachable(error) from error

    # ------------------------------------------------------------------ reading

    def _read(self, body: bytes) -> Any:
        try:
            data: Any = json.loads(body.decode("utf-8"))
        except (UnicodeDecodeError, ValueError, RecursionError) as error:
            raise ModelError(
                f"{self._place} did not answer with JSON: {self._show(body.decode('utf-8', 'replace')) or '(nothing)'}",
                _ADDRESS,
            ) from error
        return data

    def _streamed(self, lines: Iterable[str]) -> dict[str, Any]:
        """The pieces of a stream of server-sent events, put together as one completion.

        Raises:
            ModelError: an event is not a piece of a completion.
            UnusableAnswer: the stream ends before the answer does.
        """
        whole: dict[str, Any] = {}
        texts: dict[str, list[str]] = {"content": [], "refusal": []}
        reason, unshown = None, ""
        for line in lines:
            if not line.startswith("data:"):
                continue
            event = line.removeprefix("data:").strip()
            if event == "[DONE]":
                reason = reason or "stop"
                break
            try:
                data = json.loads(event)
            except (ValueError, RecursionError) as error:
                raise ModelError(
                    f"{self._place} sent an event that is not JSON: {self._show(event)}"
                ) from error
            if not isinstance(data, dict) or data.get("error"):
                raise ModelError(f"{self._place} sent an event that is not a completion: {self._show(event)}")
            whole |= {name: data[name] for name in ("model", "usage") if data.get(name)}
            choices = data.get("choices")
            choice = choices[0] if isinstance(choices, list) and choices else None
            if not isinstance(choice, dict):
                continue
            reason = choice.get("finish_reason") or reason
            delta = choice.get("delta")
            for name, pieces in texts.items():
                piece = delta.get(name) if isinstance(delta, dict) else None
                if isinstance(piece, str):
                    pieces.append(piece)
                    if name == "content":
                        unshown = self._show_part(unshown + piece)
        if unshown:
            self._show_piece(unshown)
        if reason is None:
            raise UnusableAnswer(f"the stream from {self._place} ended before the answer was complete")
        message = {name: "".join(pieces) for name, pieces in texts.items()}
        return {**whole, "choices": [{"finish_reason": reason, "message": message}]}

    def _show_part(self, text: str) -> str:
        """Show a text that arrived, except its end if the key may begin there: that is returned."""
        text = self.redact(text)
        starts = (secret[:size] for secret in self._secrets for size in range(1, len(secret)))
        end = len(text) - max((len(start) for start in starts if text.endswith(start)), default=0)
        if end:
            self._show_piece(text[:end])
        return text[end:]

    def _answer(self, data: Any) -> Answer:
        choices = data.get("choices") if isinstance(data, dict) else None
        choice = choices[0] if isinstance(choices, list) and choices else None
        message = choice.get("message") if isinstance(choice, dict) else None
        if not isinstance(choice, dict) or not isinstance(message, dict):
            complaint = data.get("error") if isinstance(data, dict) else None
            detail = f": {self._show(json.dumps(complaint, ensure_ascii=False))}" if complaint else ""
            raise ModelError(
                f"{self._place} answered with JSON that is not a chat completion{detail}", _ADDRESS
            )
        reason, text, refusal = choice.get("finish_reason"), message.get("content"), message.get("refusal")
        usage = counts(data.get("usage"))
        if reason == "content_filter":
            raise UnusableAnswer(
                "the endpoint's content filter stopped the answer",
                "reword the instruction, or ask another model",
                usage,
            )
        if reason == "length":
            raise UnusableAnswer(
                "the answer was cut off at the model's limit of tokens",
                "ask a model with more room, give fewer apps, or a shorter instruction",
                usage,
            )
        if isinstance(refusal, str) and refusal.strip():
            raise UnusableAnswer(f"the model refused: {self._show(refusal)}", usage=usage)
        if not isinstance(text, str) or not text.strip():
            raise UnusableAnswer("the model's answer is empty", "try again, or ask another model", usage)
        if any(secret in text for secret in self._secrets):
            raise ModelError(
                "the answer holds the API key; nothing of it is kept", "do not trust this endpoint"
            )
        model = data.get("model")
        return Answer(
            readable(text),
            self.redact(safe(model, 200)) if isinstance(model, str) else "",
            usage,
        )

    # ------------------------------------------------------------------ failures

    @property
    def _place(self) -> str:
        return self.endpoint

    def _show(self, text: str) -> str:
        return _KEY_LIKE.sub("[key]", safe(self.redact(" ".join(text.split())), _SHOWN))

    def _slow(self) -> ModelError:
        return ModelError(
            f"{self._place} did not answer within {seconds(self._timeout)}",
            "give it more time with --timeout",
        )

    def _unreachable(self, error: BaseException) -> ModelError:
        """The message of a failure without a response: that of the innermost cause."""
        if self._begins is not None:
            self._begins.call_off()
        cause: BaseException = error
        seen = {id(cause)}
        while (inner := cause.__cause__ or cause.__context__) is not None and id(inner) not in seen:
            if isinstance(inner, _PeerFault):
                return ModelError(f"{self._place}: {inner}")
            seen.add(id(inner))
            cause = inner
        late = self._begins is not None and self._begins.passed
        if late or isinstance(cause, TimeoutError) or type(cause).__name__.endswith("Timeout"):
            return self._slow()
        detail = self._show(str(cause)) or type(cause).__name__
        return ModelError(
            f"cannot reach {self._place}: {detail}", "is the address right, and the server running?"
        )

    def _refused(self, error: Any) -> ModelError:
        """A response with an error status."""
        status: int = error.status_code
        body = error.body
        reason = body.get("message") if isinstance(body, dict) else body if isinstance(body, str) else None
        detail = f": {self._show(reason)}" if isinstance(reason, str) and reason.strip() else ""
        message = f"{self._place} answered with status {status}{detail}"
        if 300 <= status < 400:
            to = self._show(error.response.headers.get("location", ""))
            return ModelError(
                f"{self._place} sends us elsewhere (status {status}): {to}",
                "if it may be asked, name that address",
            )
        if status == 401:
            what = "the API key is not accepted" if self._key else "an API key is needed"
            return ModelError(f"{self._place}: {what} (status 401){detail}", "check OPENAI_API_KEY")
        if status == 403:
            return ModelError(message, f"may this key use the model {self._model}?")
        if status == 404:
            return ModelError(
                message, f"does the endpoint have a model {self._model}? Does its address end in /v1?"
            )
        if status == 429:
            after = pause(error.response.headers)
            return ModelError(
                f"{self._place} is asked too often, or the account has no credit left (status 429){detail}",
                f"try again {after}" if after else "try again later",
            )
        if status in (400, 413, 422):
            return ModelError(message, "does the model take these options, and a request of this length?")
        return ModelError(message, "try again later" if status >= 500 else "")

    # ------------------------------------------------------------------ bounds

    def _say_if_busy(self, response: Any) -> None:
        """Say that a request will be sent again: the pause before may be two minutes."""
        sent = response.request.headers.get("x-stainless-retry-count", "")
        if response.status_code not in (408, 429) and response.status_code < 500:
            return
        if sent.isdecimal() and int(sent) < self._retries and not too_long(response.headers):
            when = pause(response.headers) or "soon"
            self._tell(f"{self._place} is busy (status {response.status_code}): it is asked again {when}")

    def _on_request(self, request: Any) -> None:
        self._deadline = time.monotonic() + self._timeout
        begins = Deadline(self._timeout)
        begins.follow(self._begins)
        self._begins = begins
        begins.watch(request)

    def _on_response(self, response: Any) -> None:
        """Limit the body before it is read."""
        if self._begins is not None:
            self._begins.call_off()
        self._say_if_busy(response)
        encoding = response.headers.get("content-encoding", "identity")
        if encoding.strip().lower() not in ("", "identity"):
            raise _PeerFault("the answer is compressed, though that was not asked for")
        inner, deadline, timeout = response.stream, self._deadline, self._timeout

        class BoundedStream(self._http.SyncByteStream):  # type: ignore[name-defined,misc]
            def __iter__(self) -> Iterator[bytes]:
                size = 0
                for chunk in inner:
                    size += len(chunk)
                    if size > MAX_RESPONSE:
                        raise _PeerFault(f"the answer is larger than {MAX_RESPONSE // 1024 // 1024} MiB")
                    if time.monotonic() > deadline:
                        raise _PeerFault(f"the answer was not complete within {seconds(timeout)}")
                    yield chunk

            def close(self) -> None:
                inner.close()

        response.stream = BoundedStream()


def parameters(temperature: float | None, seed: int | None, form: ResponseFormat | None) -> dict[str, Any]:
    """What changes answers, as far as it is given; a response format by its name, though the server may refuse it."""
    values = {
        "temperature": temperature,
        "seed": seed,
        "response_format": form.name if form is not None else None,
    }
    return {name: value for name, value in values.items() if value is not None}


def _lines(chunks: Iterable[bytes]) -> Iterator[str]:
    """The lines of a stream of events. CR and LF end them; other breaks, such as U+2028, belong to the answer."""
    held: list[bytes] = []
    for chunk in chunks:
        *ended, rest = re.split(rb"[\r\n]", chunk)
        held.append(ended[0] if ended else rest)
        if ended:
            yield from (line.decode("utf-8", "replace") for line in (b"".join(held), *ended[1:]))
            held = [rest]
    yield b"".join(held).decode("utf-8", "replace")
