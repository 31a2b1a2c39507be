"""Verifiers and judges by their names on a command line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING

from streamguard.errors import ConfigError
from streamguard.verify.keys import (
    EMBEDDING_VARIABLE,
    JUDGE_VARIABLE,
    OPENAI_HOST,
    OPENAI_VARIABLE,
    key_for,
)
from streamguard.verify.verifier import Ask, Scorer, Verifier, verifiers_of

if TYPE_CHECKING:
    from streamguard.verify.judge import Judge

OPENAI_ADDRESS = "OPENAI_BASE_URL"
_KEY_VARIABLES = {"judge": JUDGE_VARIABLE, "embeddings": EMBEDDING_VARIABLE}
KINDS = """\
  onnx:FOLDER          a cross-encoder or token classifier, exported to ONNX (extra verify)
  judge:MODEL@URL      a language model behind an OpenAI-compatible server, URL as in
                       https://HOST/v1; its key is read from STREAMGUARD_JUDGE_KEY, for
                       https://api.openai.com also from OPENAI_API_KEY
  embeddings:MODEL     sentence-transformers, a folder or a name (extra embeddings)
  embeddings:MODEL@URL the embeddings of an OpenAI-compatible server; its key is read from
                       STREAMGUARD_EMBEDDING_KEY, for OpenAI's as above
  python:MODULE:NAME   a callable or a Verifier of one's own"""


def named_verifiers(specs: Sequence[str], environ: Mapping[str, str]) -> tuple[Verifier, ...]:
    """Return the verifiers that `specs` name; `environ` may hold their servers' keys.

    Raises `ConfigError` as `open_verifier` does.
    """
    return verifiers_of([open_verifier(spec, key=_key_of(spec, environ)) for spec in specs])


def readers_of(
    scorers: Sequence[Scorer | Ask],
    judge: Judge | str | None = None,
    verifiers: Sequence[Scorer | Ask] = (),
) -> tuple[Scorer, ...]:
    """Return the scorers, the judge among them; raises `ConfigError` for an invalid one.

    `verifiers` is the earlier name of `scorers`.
    """
    found = verifiers_of([*verifiers_of(scorers), *verifiers_of(verifiers)])
    if judge is None:
        return found
    from streamguard.verify.judge import as_judge, judge_reader

    return verifiers_of([*found, judge_reader(as_judge(judge))])


def named_judge(spec: str, environ: Mapping[str, str]) -> Judge:
    """Return the judge of a command line: MODEL@URL, or a model's name with `environ`.

    A bare model name is asked of OPENAI_BASE_URL, else of OpenAI, with OPENAI_API_KEY. `key_for`
    finds the key of another address. Raises `ConfigError` if no server is known.
    """
    from streamguard.verify.judge import Judge, check_has_scheme

    check_has_scheme(spec)
    model, at, rest = spec.rpartition("@http")
    if at:
        url = f"http{rest}"
        return Judge(url, model, key_for(url, environ, JUDGE_VARIABLE))
    url, openai = environ.get(OPENAI_ADDRESS) or "", environ.get(OPENAI_VARIABLE) or None
    if not spec or "@" in spec or not (url or openai):
        raise ConfigError(
            f"judge is {spec!r}, expected MODEL@URL, as in gpt-4o-mini@https://{OPENAI_HOST}/v1, or"
            f" a model's name where {OPENAI_ADDRESS} or {OPENAI_VARIABLE} says whom to ask"
        )
    own = environ.get(JUDGE_VARIABLE) or None
    return Judge(url or f"https://{OPENAI_HOST}/v1", spec, own or openai)


def _key_of(spec: str, environ: Mapping[str, str]) -> str | None:
    """Return the key of the server that `spec` names, None if it names none."""
    kind, _, rest = spec.partition(":")
    variable, at, url = _KEY_VARIABLES.get(kind), *rest.rpartition("@http")[1:]
    return key_for(f"http{url}", environ, variable) if variable and at else None


def open_verifier(spec: str, *, key: str | None = None) -> Verifier:
    """Return the verifier that `spec` names, in the forms of `KINDS`; loads models, may block.

    Raises `ConfigError` for an unknown one, or if a package is missing.
    """
    kind, _, rest = spec.partition(":")
    if not rest or kind not in _OPENERS:
        raise ConfigError(
            f"verifier is {spec!r}, expected onnx:FOLDER, judge:MODEL@URL, embeddings:MODEL[@URL]"
            " or python:MODULE:NAME"
        )
    return _OPENERS[kind](rest, key)


def _onnx(folder: str, _key: str | None) -> Verifier:
    from streamguard.verify.onnx import onnx_verifier

    return onnx_verifier(folder)


def _judge(rest: str, key: str | None) -> Verifier:
    from streamguard.verify.judge import Judge, as_judge, judge_reader

    named = as_judge(rest)
    return judge_reader(Judge(named.url, named.model, key))


def _embeddings(rest: str, key: str | None) -> Verifier:
    from streamguard.rag.embeddings import endpoint_embedding, sentence_transformers_embedding
    from streamguard.verify.embeddings import similarity_verifier

    model, at, url = rest.partition("@")
    if at:
        return similarity_verifier(endpoint_embedding(url, model, key=key))
    return similarity_verifier(sentence_transformers_embedding(model))


def _python(rest: str, _key: str | None) -> Verifier:
    module, colon, name = rest.partition(":")
    if not colon:
        raise ConfigError(f"python is {rest!r}, expected MODULE:NAME")
    try:
        found = getattr(import_module(module), name)
    except (ImportError, AttributeError) as exc:
        raise ConfigError(f"python is {rest!r}, which cannot be imported: {exc}") from exc
    return found if isinstance(found, Verifier) else Verifier(found, name=name)


_OPENERS = {"onnx": _onnx, "judge": _judge, "embeddings": _embeddings, "python": _python}
