"""Describes a model's folder in words, with the model's verdicts on four sentences."""

from __future__ import annotations

from time import perf_counter

from streamguard.verify.onnx import OnnxModel, Understood

PASSAGE = (
    "The Basic plan costs $10 per month and includes 5 GB of storage. Refunds are possible within"
    " 14 days, unless a seat was added."
)
SENTENCES = (
    ("supported", "You can store 5 GB with the Basic plan."),
    ("contradicted", "The Basic plan costs $12 per month."),
    ("contradicted", "Refunds are possible within 14 days even if a seat was added."),
    ("not mentioned", "The company was founded in Vienna."),
)
_HEADS = {
    "nli": "entailment, neutral, contradiction",
    "two_labels": "supported or not",
    "one_score": "one score of support",
    "tokens": "each word of the claim, supported or not",
}


def inspected(folder: str) -> str:
    """Return a report on the model in `folder`; raises `ConfigError` for an unsupported one."""
    model = OnnxModel(folder)
    lines = [*_described(model.understood), "", f"passage: {PASSAGE}"]
    began = perf_counter()
    for truth, sentence in SENTENCES:
        verdict = model.read(sentence, [PASSAGE])
        row = " ".join(
            f"{name} {value:.2f}"
            for name, value in (
                ("support", verdict.support),
                ("contradiction", verdict.contradiction),
            )
            if value is not None
        )
        lines.append(f"  {truth:14}{row:36}{sentence}")
    each = (perf_counter() - began) * 1_000 / len(SENTENCES)
    return "\n".join([*lines, f"{each:.1f} ms a sentence here"]) + "\n"


def _described(known: Understood) -> list[str]:
    order = "claim, passage" if known.claim_first else "passage, claim"
    return [
        f"file           {known.file}",
        f"reads          {_HEADS[known.head]}",
        f"labels         {', '.join(known.labels)}",
        f"supports       {_named(known, known.supports)}",
        f"contradicts    {_named(known, known.contradicts)}",
        f"probabilities  {'sigmoid' if known.sigmoid else 'softmax'}",
        f"pair           {order}",
        f"at most        {known.max_tokens} tokens",
    ]


def _named(known: Understood, place: int | None) -> str:
    return "-" if place is None else known.labels[place]
