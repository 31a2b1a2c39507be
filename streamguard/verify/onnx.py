"""Cross-encoders and token classifiers in a local folder, run by ONNX Runtime.

Supported are exported NLI models (three labels), models like HHEM and MiniCheck (one or two), and
token classifiers like LettuceDetect. The model's own files decide; nothing is downloaded.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from streamguard.core.model.types import Verdict
from streamguard.core.sentence import Scope, Sentence
from streamguard.errors import ConfigError
from streamguard.rag.extras import library
from streamguard.verify.verifier import Verifier

MAX_TOKENS = 512  # of a pair where the model's files do not say
MAX_PAIRS = 32  # of one call of the model; guess, some 100 MB of activations
BATCH = 8
_FILES = ("model.onnx", "model_quantized.onnx", "onnx/model.onnx", "onnx/model_quantized.onnx")
_UNBOUNDED = 100_000  # tokenizers write 1e30 for "no limit"
_SPECIAL_TOKENS = 8  # of a pair: the separators around its two texts

Head = Literal["nli", "two_labels", "one_score", "tokens"]


@dataclass(frozen=True, slots=True)
class Understood:
    """The settings found in a model's files.

    `labels` in the order of the outputs; `supports` and `contradicts` are the indexes of these
    labels, None without one. `sigmoid`: the outputs are independent probabilities. `claim_first`:
    the pair is (claim, passage), not (passage, claim).
    """

    file: str
    head: Head
    labels: tuple[str, ...]
    supports: int | None
    contradicts: int | None
    sigmoid: bool
    claim_first: bool
    max_tokens: int
    inputs: tuple[str, ...]


def onnx_verifier(folder: str, *, name: str | None = None, threads: int = 1) -> Verifier:
    """Return the model in `folder` as a verifier named `name`, or like the folder.

    Each claim is paired with every passage: the highest support and the highest contradiction
    count. A passage longer than the model's input is split into windows. Up to `threads` calls run
    at once, each on the cores that ONNX Runtime takes. Raises `ConfigError` if files are missing or
    unsupported, or if the extra `verify` is not installed.
    """
    model = OnnxModel(folder)
    return Verifier(model, name=name or Path(folder).resolve().name, batch=BATCH, threads=threads)


class OnnxModel:
    """A loaded model: pairs of texts in, verdicts out."""

    def __init__(self, folder: str) -> None:
        self._np = library("numpy", "verify")
        runtime = library("onnxruntime", "verify")
        tokenizers = library("tokenizers", "verify")
        where = Path(folder)
        self._session = _loaded(runtime, where)
        self._tokenizer = _tokenizer(tokenizers, where)
        self._untruncated = _tokenizer(
            tokenizers, where
        )  # for texts that may be longer than is read
        self._untruncated.no_truncation()
        outputs = self._session.get_outputs()[0].shape
        if not outputs:
            raise ConfigError(f"{_file(where)} does not say how many labels it gives")
        model_inputs = self._session.get_inputs()
        pairs, tokens = _fixed(model_inputs[0].shape)
        self._pairs, self._most = pairs, pairs or MAX_PAIRS
        inputs = tuple(one.name for one in model_inputs)
        self.understood = understood(where, inputs, len(outputs), outputs[-1], tokens)
        self._tokenizer.enable_truncation(self.understood.max_tokens)
        self._tokenizer.enable_padding(length=tokens)
        try:
            self.read("It is so.", ["It is so."])
        except Exception as exc:  # of the runtime's own, which has no public base
            message = f"{type(exc).__name__}: {str(exc)[:200]}"
            raise ConfigError(f"{_file(where)} cannot be run: {message}") from exc

    def __call__(self, sentences: Sequence[Sentence], scope: Scope) -> list[Verdict]:
        """Return a verdict for each sentence."""
        texts = scope.evidence.texts if scope.evidence is not None else ()
        return [self.read(sentence.folded.text, texts) for sentence in sentences]

    def read(self, claim: str, passages: Sequence[str]) -> Verdict:
        """Return the verdict on a claim: the strongest over all windows of the passages."""
        pairs = [
            one for window in self._batches(claim, passages) for one in self._scores(claim, window)
        ]
        supports = [one for one, _ in pairs if one is not None]
        contradictions = [one for _, one in pairs if one is not None]
        return Verdict(
            max(supports, default=None),
            # A passage about something else may seem to contradict: the best supporting one counts.
            min(max(contradictions), 1 - max(supports)) if contradictions and supports else None,
        )

    def _batches(self, claim: str, passages: Sequence[str]) -> list[list[str]]:
        room = (
            self.understood.max_tokens - len(self._untruncated.encode(claim).ids) - _SPECIAL_TOKENS
        )
        windows = [window for text in passages for window in self._windows(text, max(16, room))]
        return [windows[at : at + self._most] for at in range(0, len(windows), self._most)]

    def _windows(self, text: str, tokens: int) -> list[str]:
        """Return the passage in windows of that many tokens; neighbours share a quarter."""
        spans = [span for span in self._untruncated.encode(text).offsets if span[1] > span[0]]
        if len(spans) <= tokens:
            return [text]
        step = max(1, tokens * 3 // 4)
        starts = range(0, len(spans) - tokens // 4, step)
        return [text[spans[at][0] : spans[min(at + tokens, len(spans)) - 1][1]] for at in starts]

    def _scores(
        self, claim: str, passages: Sequence[str]
    ) -> list[tuple[float | None, float | None]]:
        """Return (support, contradiction) for each passage."""
        np, known = self._np, self.understood
        pairs = [(claim, p) if known.claim_first else (p, claim) for p in passages]
        # A model exported for a fixed number of pairs always gets that number.
        pairs += pairs[:1] * ((self._pairs or 0) - len(pairs))
        encoded = self._tokenizer.encode_batch(pairs)
        arrays = {
            "input_ids": [one.ids for one in encoded],
            "attention_mask": [one.attention_mask for one in encoded],
            "token_type_ids": [one.type_ids for one in encoded],
        }
        feed = {name: np.asarray(arrays[name], dtype=np.int64) for name in known.inputs}
        logits = np.asarray(self._session.run(None, feed)[0], dtype=np.float64)
        logits = logits[: len(passages)]
        if known.head == "tokens":
            return [
                (self._of_tokens(row, one), None) for row, one in zip(logits, encoded, strict=False)
            ]
        return [self._of_labels(row) for row in self._probabilities(logits)]

    def _of_labels(self, row: Any) -> tuple[float | None, float | None]:
        known = self.understood
        support = 0.0 if known.supports is None else float(row[known.supports])
        if known.contradicts is None:
            return support, None
        return support, float(row[known.contradicts])

    def _of_tokens(self, logits: Any, encoded: Any) -> float:
        """Return a claim's support: one minus the probability of its worst token."""
        own = 0 if self.understood.claim_first else 1
        chances = self._probabilities(logits)[:, -1]
        of_claim = [at for at, side in enumerate(encoded.sequence_ids) if side == own]
        return 1.0 - max((float(chances[at]) for at in of_claim), default=0.0)

    def _probabilities(self, logits: Any) -> Any:
        np = self._np
        if self.understood.sigmoid:
            return 1.0 / (1.0 + np.exp(-logits))
        spread = np.exp(logits - logits.max(axis=-1, keepdims=True))
        return spread / spread.sum(axis=-1, keepdims=True)


def understood(
    folder: Path,
    inputs: tuple[str, ...],
    dimensions: int,
    outputs: object,
    tokens: int | None = None,
) -> Understood:
    """Return the settings of a model with these inputs and outputs, from the files in `folder`.

    `tokens`: the length of all its inputs, if it was exported for one. `streamguard.json` in the
    folder may state `labels`, `claim_first`, `sigmoid` and `max_tokens`, if the model's own files
    do not. Raises `ConfigError` for an unsupported model.
    """
    config, ours = _json(folder / "config.json"), _json(folder / "streamguard.json")
    labels = _labels(ours.get("labels") or config.get("id2label"), outputs)
    unknown = set(inputs) - {"input_ids", "attention_mask", "token_type_ids"}
    if unknown:
        raise ConfigError(
            f"{folder}: the model has the inputs {sorted(unknown)}, which are unknown"
        )
    supports = _place(labels, ("entail", "support", "consistent", "faithful", "label_1"))
    contradicts = _place(labels, ("contradict",))
    head = _head(labels, dimensions)
    if head == "one_score":
        supports = 0
    if head in ("nli", "two_labels") and supports is None:
        raise ConfigError(
            f"{folder}: none of the labels {list(labels)} means support; name them in"
            ' streamguard.json, as {"labels": ["contradiction", "neutral", "entailment"]}'
        )
    kind = str(config.get("problem_type", ""))
    return Understood(
        _file(folder).name,
        head,
        labels,
        supports,
        contradicts if head == "nli" else None,
        bool(ours.get("sigmoid", head == "one_score" or kind == "multi_label_classification")),
        bool(ours.get("claim_first", False)),
        _max_tokens(folder, config, ours, tokens),
        inputs,
    )


def _head(labels: Sequence[str], dimensions: int) -> Head:
    if dimensions == 3:
        return "tokens"
    if len(labels) == 1:
        return "one_score"
    return "two_labels" if len(labels) == 2 else "nli"


def _labels(labels_by_id: Any, outputs: object) -> tuple[str, ...]:
    if isinstance(labels_by_id, Mapping):
        labels_by_id = [labels_by_id[place] for place in sorted(labels_by_id, key=int)]
    labels = tuple(str(label) for label in labels_by_id or ())
    if isinstance(outputs, int) and len(labels) != outputs:
        labels = tuple(f"LABEL_{number}" for number in range(outputs))
    return labels


def _place(labels: Sequence[str], words: Sequence[str]) -> int | None:
    for word in words:
        for place, label in enumerate(labels):
            low = label.lower()
            if word in low and not low.startswith(("not", "un", "in", "non")):
                return place
    return None


def _fixed(shape: Sequence[object]) -> tuple[int | None, int | None]:
    """Return the batch size and length that a model was exported for, None for any."""
    found = [size if isinstance(size, int) else None for size in shape]
    return (found[0], found[-1]) if found else (None, None)


def _max_tokens(
    folder: Path, config: Mapping[str, Any], ours: Mapping[str, Any], tokens: int | None
) -> int:
    limits = [
        tokens,
        ours.get("max_tokens"),
        _json(folder / "tokenizer_config.json").get("model_max_length"),
        config.get("max_position_embeddings"),
    ]
    known = [int(one) for one in limits if isinstance(one, int | float) and 0 < one < _UNBOUNDED]
    return min(known, default=MAX_TOKENS)


def _file(folder: Path) -> Path:
    if not folder.is_dir():
        raise ConfigError(f"{folder} is no folder that is there, expected one with model.onnx")
    for name in _FILES:
        if (folder / name).is_file():
            return folder / name
    others = sorted(folder.glob("*.onnx")) or sorted(folder.glob("onnx/*.onnx"))
    if len(others) != 1:
        found = ", ".join(one.name for one in others) or "none"
        raise ConfigError(f"{folder} holds {found} of the .onnx files, expected model.onnx")
    return others[0]


def _loaded(runtime: Any, folder: Path) -> Any:
    file = _file(folder)
    try:
        return runtime.InferenceSession(str(file), providers=["CPUExecutionProvider"])
    except Exception as exc:  # of the runtime's own, which has no public base
        raise ConfigError(f"{file} cannot be loaded: {type(exc).__name__}") from exc


def _tokenizer(tokenizers: Any, folder: Path) -> Any:
    file = folder / "tokenizer.json"
    try:
        return tokenizers.Tokenizer.from_file(str(file))
    except Exception as exc:  # a plain Exception for a missing file as for a wrong one
        raise ConfigError(f"{file} cannot be read as a tokenizer") from exc


def _json(file: Path) -> dict[str, Any]:
    if not file.is_file():
        return {}
    try:
        value = json.loads(file.read_text(encoding="utf-8"))
    except ValueError as exc:
        raise ConfigError(f"{file} is not JSON: {exc}") from exc
    if not isinstance(value, dict):
        raise ConfigError(f"{file} is a {type(value).__name__}, expected an object")
    return value
