"""A judge's server: its address, its key's header, and the options it lacks.

Requests have the form of Chat Completions; Anthropic's Messages and Ollama's own form are derived
from it. Options that a server refuses are left out from then on, and required ones are learned
once.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal
from urllib.parse import SplitResult, quote, urlsplit, urlunsplit

from streamguard.errors import ConfigError, DecodeError
from streamguard.text.patterns import lazy_re
from streamguard.verify.judge_prompt import TOKENS_OF_THOUGHT

AZURE_VERSION = "2024-10-21"  # the first stable one that knows schemas
ANTHROPIC_VERSION = "2023-06-01"

Form = Literal["chat", "messages", "ollama"]
_TOO_LONG = lazy_re(r"(?i)context.{0,20}(?:length|window|size)|too long|too many tokens|too large")
_SCHEMA = lazy_re(r"(?i)response_format|schema|json_object|grammar|\bformat\b")


@dataclass(frozen=True, slots=True)
class Server:
    """A server's address, headers and request form."""

    address: str
    headers: Mapping[str, str]
    form: Form

    def body(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """Return the body of a request, converted from the form of Chat Completions."""
        if self.form == "chat":
            return dict(request)
        system, user = request["messages"]
        tokens = request.get("max_tokens", request.get("max_completion_tokens"))
        warm = {"temperature": request["temperature"]} if "temperature" in request else {}
        if self.form == "messages":
            made = {"model": request["model"], "max_tokens": tokens, **warm}
            return {**made, "system": system["content"], "messages": [user]}
        wanted = request.get("response_format")
        shape: dict[str, Any] = {}
        if wanted is not None:
            schema = wanted.get("json_schema", {}).get("schema")
            shape = {"format": schema or "json"}
        made = {"model": request["model"], "messages": [system, user], "stream": False}
        return {**made, **shape, "options": {"num_predict": tokens, **warm}}


def server_of(url: str, model: str, key: str | None) -> Server:
    """Return the server at `url`: HOST/v1, or the full address for requests.

    Azure is recognised by its host or a deployment in the path, Anthropic by its host or
    `/messages`, Ollama's own form by `/api/chat`. Raises `ConfigError` for anything but an address.
    """
    parts = _parts(url)
    host, path = parts.hostname or "", parts.path.rstrip("/")
    if host == "api.anthropic.com" or path.endswith("/messages"):
        if not path.endswith("/messages"):
            path = f"{path or '/v1'}/messages"
        headers = {"anthropic-version": ANTHROPIC_VERSION} | ({"x-api-key": key} if key else {})
        return Server(_joined(parts, path, parts.query), headers, "messages")
    bearer = {"Authorization": f"Bearer {key}"} if key else {}
    if path.endswith("/api/chat"):
        return Server(_joined(parts, path, parts.query), bearer, "ollama")
    if _is_azure(host, path):
        headers = {"api-key": key} if key else {}
        query = parts.query
        if not path.endswith("/openai/v1") and "/openai/v1/" not in path:
            if "/deployments/" not in path:
                path = f"{path.removesuffix('/openai')}/openai/deployments/{quote(model, safe='')}"
            query = query or f"api-version={AZURE_VERSION}"
        return Server(_joined(parts, _chat(path), query), headers, "chat")
    return Server(_joined(parts, _chat(path or "/v1"), parts.query), bearer, "chat")


def _parts(url: str) -> SplitResult:
    wrong = f"the judge's address is {url!r}, expected http:// or https:// and a host"
    try:
        parts = urlsplit(url)
        named = parts.hostname and (parts.port is None or parts.port > 0)
    except ValueError as exc:
        raise ConfigError(wrong) from exc
    if "@" in parts.netloc:
        raise ConfigError("the judge's address holds a user or password, expected none: give a key")
    if not named or parts.scheme not in ("http", "https"):
        raise ConfigError(wrong)
    return parts


def _joined(parts: SplitResult, path: str, query: str) -> str:
    return urlunsplit((parts.scheme, parts.netloc, path, query, ""))


def _chat(path: str) -> str:
    return path if path.endswith("/chat/completions") else f"{path}/chat/completions"


def _is_azure(host: str, path: str) -> bool:
    ends = (".openai.azure.com", ".cognitiveservices.azure.com", ".services.ai.azure.com")
    return host.endswith(ends) or "/openai/deployments/" in path


@dataclass(frozen=True, slots=True)
class Known:
    """The options that a server accepts, learned from its answers."""

    shape: Literal["json_schema", "json_object", "text"] = "json_schema"
    warm: bool = True  # it takes a temperature
    completion_tokens: bool = False  # it takes max_completion_tokens in place of max_tokens
    thinks: bool = False  # it thinks before it answers, in tokens that count

    def body(self, body: Mapping[str, Any]) -> dict[str, Any]:
        """Return a Chat Completions request with the options that the server accepts."""
        made = dict(body)
        if self.shape == "json_object":
            made["response_format"] = {"type": "json_object"}
        elif self.shape == "text":
            del made["response_format"]
        if not self.warm:
            del made["temperature"]
        tokens = made.pop("max_tokens")
        if self.thinks or self.completion_tokens:
            tokens += TOKENS_OF_THOUGHT
        made["max_completion_tokens" if self.completion_tokens else "max_tokens"] = tokens
        return made

    def after_refusal(self, reply: bytes) -> Known | None:
        """Return the options to try after a refusal, from its message.

        None if nothing is left to try, or if the message says that the request is too long.
        """
        words = reply[:4_096].decode("utf-8", "replace")
        if "max_completion_tokens" in words and not self.completion_tokens:
            return replace(self, completion_tokens=True)
        if "temperature" in words and self.warm:
            return replace(self, warm=False)
        plainer = replace(self, shape="json_object" if self.shape == "json_schema" else "text")
        if _SCHEMA.search(words) and self.shape != "text":
            return plainer
        if _TOO_LONG.search(words):
            return None
        if self.shape != "text":
            return plainer
        return replace(self, warm=False) if self.warm else None


@dataclass(frozen=True, slots=True)
class JudgeReply:
    """The text of a server's answer, whether it was cut off, and its token counts."""

    content: str
    is_cut: bool
    cost: Mapping[str, float]


def reply_in(body: bytes) -> JudgeReply:
    """Return a server's answer, in any form; raises `DecodeError` for an unknown one."""
    try:
        reply = json.loads(body)
        if "choices" in reply:
            choice = reply["choices"][0]
            content, ended = choice["message"]["content"], choice.get("finish_reason")
        elif "message" in reply:
            content, ended = reply["message"]["content"], reply.get("done_reason")
        else:
            content, ended = reply["content"], reply.get("stop_reason")
    except (ValueError, TypeError, KeyError, IndexError, AttributeError, RecursionError) as exc:
        raise DecodeError("the judge's server sent no Chat Completions response") from exc
    if isinstance(content, list):
        texts = [one.get("text") for one in content if isinstance(one, Mapping)]
        content = "".join(text for text in texts if isinstance(text, str)) or None
    if not isinstance(content, str):
        raise DecodeError("the judge's server sent an answer without text")
    return JudgeReply(content, ended in ("length", "max_tokens"), _cost(reply))


def _cost(reply: Mapping[str, Any]) -> dict[str, float]:
    usage = reply.get("usage")
    counts = usage if isinstance(usage, Mapping) else reply
    named = {
        "input_tokens": ("prompt_tokens", "input_tokens", "prompt_eval_count"),
        "output_tokens": ("completion_tokens", "output_tokens", "eval_count"),
    }
    found: dict[str, float] = {}
    for name, keys in named.items():
        for value in map(counts.get, keys):
            if isinstance(value, bool) or not isinstance(value, int | float):
                continue
            if 0 <= value < 1e9:
                found.setdefault(name, float(value))
    return found
