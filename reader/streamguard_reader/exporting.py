"""A checkpoint as a folder that works by itself: int8 ONNX, tokenizer, what it is, its digests.

The folder is read by `streamguard_reader.scorer` and, claim beside whole passages, by streamguard's
own `onnx:FOLDER`. The model takes one pair at a time: the scales of int8 are taken over what is
given together, and must not hang on other claims.
"""

from __future__ import annotations

import json
import logging
import tempfile
import warnings
from importlib.resources import files
from pathlib import Path
from typing import Any

import torch
from onnxruntime.quantization import QuantType, quantize_dynamic
from tokenizers import Tokenizer
from tokenizers.processors import TemplateProcessing
from torch import Tensor, nn

from streamguard_reader.bases import BASES, load_base, special_of
from streamguard_reader.encoder import LABELS, Reader, build
from streamguard_reader.layout import MOST, Scissors
from streamguard_reader.scorer import SUMS, digest_of
from streamguard_reader.settings import Training
from streamguard_reader.training import read_mean

_OPSET = 17


class OnePair(nn.Module):
    """A reader of one claim, by the names that other exported models give their inputs."""

    def __init__(self, reader: Reader) -> None:
        super().__init__()
        self.reader = reader

    def forward(self, ids: Tensor, mask: Tensor, sides: Tensor) -> tuple[Tensor, Tensor]:
        """Return the three logits, and the probability of each piece to be wrong."""
        own = (sides == 0) & mask.bool()
        # Not the piece that begins the pair: it stands for all of it.
        owned = torch.cat([torch.zeros_like(own[:, :1]), own[:, 1:]], dim=1)
        logits, pieces = self.reader(ids, sides, mask, owned[:, None].to(torch.float32))
        return logits[:, 0], torch.sigmoid(pieces)


def export(run: Path, folder: Path, bases: Path) -> str:
    """Write the best weights of a run into `folder`; return its digest and size in words."""
    training, mean = read_mean(run)
    shape, _, pieces = load_base(training.base, bases)
    _, reader = build(shape, {}, training.layers, 0.0)
    reader.load_state_dict(mean)
    folder.mkdir(parents=True, exist_ok=True)
    _write_model(OnePair(reader).eval(), folder / "model.onnx")
    _write_tokenizer(pieces, training.base, folder / "tokenizer.json")
    known = {str(at): label for at, label in enumerate(LABELS)}
    _json(folder / "config.json", {"id2label": known, "max_position_embeddings": MOST})
    _json(folder / "tokenizer_config.json", {"model_max_length": MOST})
    _json(folder / "streamguard.json", {"claim_first": True, "max_tokens": MOST})
    said = {"special": special_of(training.base), "pieces": training.pieces,
            "training": training.to_dict()}  # fmt: skip
    _json(folder / "reader.json", said)
    size = (folder / "model.onnx").stat().st_size
    (folder / "MODEL_CARD.md").write_text(card(training, size), encoding="utf-8")
    names = sorted(file.name for file in folder.iterdir() if file.is_file() and file.name != SUMS)
    lines = [f"{digest_of(folder / name)}  {name}\n" for name in names]
    (folder / SUMS).write_text("".join(lines), encoding="utf-8")
    return f"{folder}: {size / 1e6:.1f} MB, sha256 of {SUMS} {digest_of(folder / SUMS)}"


def card(training: Training, size: int) -> str:
    """Return the model card: the template with what is known of this training."""
    base = BASES[training.base]
    template = files("streamguard_reader").joinpath("model_card.md").read_text(encoding="utf-8")
    filled = {
        "base": training.base, "licence": base.licence, "exactness": base.exactness,
        "layers": str(training.layers), "megabytes": f"{size / 1e6:.1f}",
        "pieces": str(training.pieces), "sources": ", ".join(sorted(training.sources)),
        "left_out": ", ".join([*training.watch, *training.judge]) or "none",
    }  # fmt: skip
    for name, value in filled.items():
        template = template.replace(f"{{{name}}}", value)
    return template


def _write_model(pair: OnePair, file: Path) -> None:
    ids = torch.ones(1, 8, dtype=torch.long)
    sides = torch.tensor([[0, 0, 0, 0, 1, 1, 1, 1]])
    names = ["input_ids", "attention_mask", "token_type_ids"]
    axes = {name: {1: "tokens"} for name in (*names, "wrong")}
    with tempfile.TemporaryDirectory() as draft, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the tracing exporter, which needs no further package
        whole = Path(draft) / "model.onnx"
        torch.onnx.export(
            pair, (ids, torch.ones_like(ids), sides), str(whole), input_names=names,
            output_names=["logits", "wrong"], dynamic_axes=axes, opset_version=_OPSET,
            dynamo=False,
        )  # fmt: skip
        logging.disable(logging.WARNING)  # it asks for a step that changes nothing here
        try:
            quantize_dynamic(str(whole), str(file), weight_type=QuantType.QInt8, per_channel=True,
                             extra_options={"MatMulConstBOnly": True})  # fmt: skip
        finally:
            logging.disable(logging.NOTSET)


def _write_tokenizer(pieces: Tokenizer, base: str, file: Path) -> None:
    begin, end = special_of(base)[:2]
    tokenizer = Scissors(pieces, special_of(base)).pieces
    tokenizer.post_processor = TemplateProcessing(
        single=f"{begin}:0 $A:0 {end}:0",
        pair=f"{begin}:0 $A:0 {end}:0 $B:1 {end}:1",
        special_tokens=[(piece, tokenizer.token_to_id(piece)) for piece in (begin, end)],
    )
    tokenizer.save(str(file))


def _json(file: Path, what: dict[str, Any]) -> None:
    file.write_text(f"{json.dumps(what, indent=1)}\n", encoding="utf-8")
