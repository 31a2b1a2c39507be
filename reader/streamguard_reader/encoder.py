"""The model: a BERT-like encoder with two heads, one for each claim and one for each piece."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional

from streamguard.errors import ConfigError
from streamguard_reader.bases import Arrays, Shape

LABELS = ("supported", "not mentioned", "contradicted")
_EPSILON = 1e-12  # of BERT's norms


class Layer(nn.Module):
    """Attention, then two dense maps, each added to what came in and normed."""

    def __init__(self, shape: Shape, dropout: float) -> None:
        super().__init__()
        self.heads, self.dropout = shape.heads, dropout
        self.three = nn.Linear(shape.width, 3 * shape.width)
        self.mixed = nn.Linear(shape.width, shape.width)
        self.mixed_norm = nn.LayerNorm(shape.width, eps=_EPSILON)
        self.inner = nn.Linear(shape.width, shape.inner)
        self.outer = nn.Linear(shape.inner, shape.width)
        self.outer_norm = nn.LayerNorm(shape.width, eps=_EPSILON)

    def forward(self, given: Tensor, seen: Tensor) -> Tensor:
        """Return the pieces once they have looked at those in `seen`."""
        rows, pieces, width = given.shape
        three = self.three(given).view(rows, pieces, 3, self.heads, width // self.heads)
        query, key, value = three.permute(2, 0, 3, 1, 4).unbind(0)
        dropout = self.dropout if self.training else 0.0
        looked = functional.scaled_dot_product_attention(
            query, key, value, attn_mask=seen, dropout_p=dropout
        )
        looked = self.mixed(looked.transpose(1, 2).reshape(rows, pieces, width))
        found = self.mixed_norm(given + self._dropped(looked))
        thought = self.outer(functional.gelu(self.inner(found)))
        normed: Tensor = self.outer_norm(found + self._dropped(thought))
        return normed

    def _dropped(self, given: Tensor) -> Tensor:
        return functional.dropout(given, self.dropout, self.training)


class Reader(nn.Module):
    """Pieces in; out come three logits for each claim, as in `LABELS`, and one for each piece.

    That of a piece says whether it is among the wrong words of its claim.
    """

    def __init__(self, shape: Shape, dropout: float = 0.0) -> None:
        super().__init__()
        self.dropout = dropout
        self.words = nn.Embedding(shape.words, shape.width)
        self.places = nn.Embedding(shape.places, shape.width)
        self.types = nn.Embedding(2, shape.width)
        self.norm = nn.LayerNorm(shape.width, eps=_EPSILON)
        self.layers = nn.ModuleList(Layer(shape, dropout) for _ in range(shape.layers))
        self.pool = nn.Linear(2 * shape.width, shape.width)
        self.verdict = nn.Linear(shape.width, len(LABELS))
        self.wrong = nn.Linear(shape.width, 1)
        for head in (self.pool, self.verdict, self.wrong):
            nn.init.normal_(head.weight, std=0.02)
            nn.init.zeros_(head.bias)

    def encode(self, ids: Tensor, sides: Tensor, mask: Tensor) -> Tensor:
        """Return what each piece means among the others."""
        places = self.places.weight[: ids.shape[1]]
        found = self.norm(self.words(ids) + places + self.types(sides))
        found = functional.dropout(found, self.dropout, self.training)
        seen = mask.bool()[:, None, None, :]
        for layer in self.layers:
            found = layer(found, seen)
        return found

    def forward(
        self, ids: Tensor, sides: Tensor, mask: Tensor, owned: Tensor
    ) -> tuple[Tensor, Tensor]:
        """Return logits by row and claim, and by row and piece.

        `owned` is 1.0 at the pieces of each claim: of rows, claims and pieces.
        """
        found = self.encode(ids, sides, mask)
        mean = owned @ found / owned.sum(-1, keepdim=True).clamp(min=1.0)
        first = found[:, :1].expand_as(mean)
        claim = torch.tanh(self.pool(torch.cat([first, mean], dim=-1)))
        claim = functional.dropout(claim, self.dropout, self.training)
        return self.verdict(claim), self.wrong(found).squeeze(-1)


def build(shape: Shape, arrays: Arrays, layers: int, dropout: float) -> tuple[Shape, Reader]:
    """Return a reader of a base's weights, of which `layers` are kept, evenly spaced."""
    kept = spaced(shape.layers, layers)
    small = Shape(shape.words, shape.width, len(kept), shape.heads, shape.inner, shape.places)
    reader = Reader(small, dropout)
    if arrays:
        known = {}
        for name, array in arrays.items():
            parts = name.split(".")
            if parts[0] == "layers":
                if int(parts[1]) not in kept:
                    continue
                parts[1] = str(kept.index(int(parts[1])))
            known[".".join(parts)] = torch.tensor(array)
        missing, unknown = reader.load_state_dict(known, strict=False)
        heads = ("pool.", "verdict.", "wrong.")
        if unknown or not all(name.startswith(heads) for name in missing):
            raise ConfigError(f"the base lacks {missing}, and has {unknown} that are unknown")
    return small, reader


def spaced(count: int, most: int) -> list[int]:
    """Return the numbers of at most so many layers, evenly spaced, the first and last among them.

    >>> spaced(12, 6)
    [0, 2, 4, 7, 9, 11]
    """
    if most >= count:
        return list(range(count))
    return [round(at * (count - 1) / max(1, most - 1)) for at in range(most)]
