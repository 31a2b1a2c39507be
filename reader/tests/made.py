"""Labelled rows like those of exercises_dev, everyday_dev and ragtruth_dev, made up on the spot."""

import gzip
import json

PLANS = ("Basic", "Plus", "Pro")
TOWNS = ("Vienna", "Porto", "Ghent")


def exercise(author, number):
    price, days, town = 10 + number, 14 + number, TOWNS[number % 3]
    plan = PLANS[number % 3]
    chunks = [
        f"The {plan} plan costs ${price} a month. It may be cancelled within {days} days.",
        f"Our office is in {town}. Letters must be sent there.",
    ]
    sentences = [
        (f"The {plan} plan costs ${price} a month.", "number",
         f"The {plan} plan costs ${price + 7} a month."),
        (f"You can cancel it within {days} days.", "date",
         f"You can cancel it within {days * 2} days."),
        (f"Letters must go to the office in {town}.", "name",
         f"Letters must go to the office in {TOWNS[(number + 1) % 3]}."),
    ]  # fmt: skip
    return {
        "id": f"{author}-{number}", "author": author, "language": "en", "domain": "plans",
        "fold": number % 5,
        "chunks": [{"id": f"C{n}", "text": text} for n, text in enumerate(chunks, 1)],
        "questions": [{
            "question": f"What does the {plan} plan cost, and how is it cancelled?",
            "sentences": [
                {"right": right, "wrong": [{"kind": kind, "text": wrong}]}
                for right, kind, wrong in sentences
            ],
        }],
    }  # fmt: skip


def everyday(row, *, is_wrong):
    question = row["questions"][0]
    first, second, third = question["sentences"]
    told = second["wrong"][0]["text"] if is_wrong else second["right"]
    answer = f"{first['right']} {told} {third['right']}"
    start = answer.index(told)
    return {
        "id": f"{row['id']}-{int(is_wrong)}", "context": row["id"], "fold": 0,
        "question": question["question"], "chunks": row["chunks"], "answer": answer,
        "label": "error" if is_wrong else "right", "error_kind": "number" if is_wrong else None,
        "error_span": [start, start + len(told)] if is_wrong else None, "twin": None,
    }  # fmt: skip


def ragtruth(row, *, is_wrong):
    made = everyday(row, is_wrong=is_wrong)
    start, end = made["error_span"] or (0, 0)
    labels = [{"start": start, "end": end, "label_type": "Evident Conflict"}] if is_wrong else []
    return {
        "id": made["id"], "source_id": row["id"], "fold": int(row["id"].split("-")[1]) % 5,
        "question": made["question"], "chunks": [one["text"] for one in row["chunks"]],
        "answer": made["answer"], "labels": labels,
    }  # fmt: skip


def write(folder, *, authors="abc", contexts=4):
    """Write the three files into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    rows = [exercise(author, number) for author in authors for number in range(contexts)]
    both = [False, True]
    (folder / "exercises_dev.jsonl").write_text(_lines(rows))
    (folder / "everyday_dev.jsonl").write_text(
        _lines(everyday(row, is_wrong=flag) for row in rows for flag in both)
    )
    with gzip.open(folder / "ragtruth_dev.jsonl.gz", "wt") as file:
        file.write(_lines(ragtruth(row, is_wrong=flag) for row in rows for flag in both))
    return folder


def _lines(rows):
    return "".join(f"{json.dumps(row)}\n" for row in rows)
