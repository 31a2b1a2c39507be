"""Tiny classifiers in ONNX format, written byte by byte: each word of a text adds to each label."""

import json
import struct

from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.normalizers import Lowercase
from tokenizers.pre_tokenizers import WhitespaceSplit
from tokenizers.processors import TemplateProcessing

FLOAT, INT64 = 1, 7


def _varint(value):
    out = b""
    while value > 127:
        out, value = out + bytes([value & 127 | 128]), value >> 7
    return out + bytes([value])


def _number(field, value):
    return _varint(field << 3) + _varint(value)


def _bytes(field, value):
    data = value.encode() if isinstance(value, str) else value
    return _varint(field << 3 | 2) + _varint(len(data)) + data


def _tensor(name, kind, dims, raw):
    sizes = b"".join(_number(1, size) for size in dims)
    return sizes + _number(2, kind) + _bytes(8, name) + _bytes(9, raw)


def _value(name, kind, dims):
    shape = b"".join(
        _bytes(1, _number(1, size) if isinstance(size, int) else _bytes(2, size)) for size in dims
    )
    return _bytes(1, name) + _bytes(2, _bytes(1, _number(1, kind) + _bytes(2, shape)))


def _node(kind, inputs, output, attributes=b""):
    given = b"".join(_bytes(1, name) for name in inputs)
    return given + _bytes(2, output) + _bytes(3, output) + _bytes(4, kind) + attributes


def model_bytes(table, inputs, *, by_token, shape=("batch", "tokens")):
    """Return a model that adds up the rows of its words; `by_token`: it gives the rows as such.

    `shape` of its inputs: a number where it takes nothing else.
    """
    width = len(table[0])
    raw = b"".join(struct.pack(f"<{width}f", *row) for row in table)
    nodes = [_node("Gather", ["table", "input_ids"], "logits" if by_token else "rows")]
    tensors = [_tensor("table", FLOAT, [len(table), width], raw)]
    if not by_token:
        keep = _bytes(5, _bytes(1, "keepdims") + _number(3, 0) + _number(20, 2))
        nodes.append(_node("ReduceSum", ["rows", "axes"], "logits", keep))
        tensors.append(_tensor("axes", INT64, [1], struct.pack("<q", 1)))
    dims = ["batch", "tokens", width] if by_token else ["batch", width]
    graph = (
        b"".join(_bytes(1, node) for node in nodes)
        + _bytes(2, "tiny")
        + b"".join(_bytes(5, tensor) for tensor in tensors)
        + b"".join(_bytes(11, _value(name, INT64, shape)) for name in inputs)
        + _bytes(12, _value("logits", FLOAT, dims))
    )
    return _number(1, 8) + _bytes(7, graph) + _bytes(8, _bytes(1, "") + _number(2, 13))


def write_model(
    folder,
    words,
    *,
    labels=(),
    by_token=False,
    inputs=("input_ids", "attention_mask", "token_type_ids"),
    name="model.onnx",
    max_tokens=32,
    shape=("batch", "tokens"),
    **config,
):
    """Write a model's folder; a word that is not in `words` adds nothing."""
    width = len(next(iter(words.values())))
    vocabulary = {word: at for at, word in enumerate(["[PAD]", "[CLS]", "[SEP]", "[UNK]", *words])}
    table = [[0.0] * width] * 4 + [list(row) for row in words.values()]
    file = folder / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(model_bytes(table, inputs, by_token=by_token, shape=shape))
    tokenizer = Tokenizer(WordLevel(vocabulary, unk_token="[UNK]"))
    tokenizer.normalizer = Lowercase()
    tokenizer.pre_tokenizer = WhitespaceSplit()
    tokenizer.post_processor = TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", 1), ("[SEP]", 2)],
    )
    tokenizer.save(str(folder / "tokenizer.json"))
    known = {"id2label": {str(at): label for at, label in enumerate(labels)}} if labels else {}
    (folder / "config.json").write_text(json.dumps({**known, **config}))
    limit = {"model_max_length": max_tokens}
    (folder / "tokenizer_config.json").write_text(json.dumps(limit))
    return folder
