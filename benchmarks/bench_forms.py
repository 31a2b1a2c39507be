"""What reading the text of a frame costs, by protocol: cut out of its bytes, or parsed.

    python benchmarks/bench_forms.py [--frames 400] [--repeats 7]

The frames are the providers', with all that changes from one to the next: texts, an eleventh of
them with an escape, times, counts of tokens, strings of random length. Both ways take turns within
one run, by the CPU time of this process; the least of the repeats counts, in microseconds.
"""

import argparse
import random
import string
from time import process_time

from streamguard.wire.protocols.anthropic import ANTHROPIC
from streamguard.wire.protocols.cohere import COHERE
from streamguard.wire.protocols.gemini import GEMINI
from streamguard.wire.protocols.ollama import OLLAMA
from streamguard.wire.protocols.openai_chat import CHAT
from streamguard.wire.protocols.openai_responses import RESPONSES
from streamguard.wire.protocols.ui_message import UI_MESSAGE

TEXTS = (
    "The",
    " Basic",
    " plan",
    " costs",
    " $",
    "10",
    " per",
    " month",
    ",",
    " and",
    ".\\n",
    " é",
)
HEAD = '"id":"chatcmpl-9yTqX1B3xvS0bqYw5mYJt0d8","object":"chat.completion.chunk"'
CHOICES = '"choices":[{{"index":0,"delta":{{"content":"{text}"}},"finish_reason":null}}]'
PROTOCOLS = {
    "chat": (CHAT, f'data: {{{{{HEAD},"created":1700000000,{CHOICES}}}}}\n\n'),
    "chat, padded": (
        CHAT,
        f'data: {{{{{HEAD},"created":1700000000,{CHOICES},"obfuscation":"{{pad}}"}}}}\n\n',
    ),
    "chat, counted": (
        CHAT,
        (
            f'data: {{{{{HEAD},"created":1700000000,{CHOICES},'
            f'"usage":{{{{"prompt_tokens":120,"completion_tokens":{{n}}}}}}}}}}\n\n'
        ),
    ),
    "responses": (
        RESPONSES,
        (
            'event: response.output_text.delta\ndata: {{"type":"response.output_text.delta",'
            '"sequence_number":{n},"item_id":"msg_67c9fdcf37fc8190ba82116e33fb28c5","output_index":0,'
            '"content_index":0,"delta":"{text}","logprobs":[],"obfuscation":"{pad}"}}\n\n'
        ),
    ),
    "anthropic": (
        ANTHROPIC,
        (
            'event: content_block_delta\ndata: {{"type":"content_block_delta","index":0,'
            '"delta":{{"type":"text_delta","text":"{text}"}}}}\n\n'
        ),
    ),
    "gemini": (
        GEMINI,
        (
            'data: {{"candidates": [{{"content": {{"parts": [{{"text": "{text}"}}]}},'
            '"index": 0}}],"usageMetadata": {{"promptTokenCount": 8,"totalTokenCount": {n}}},'
            '"modelVersion": "gemini-2.0-flash"}}\n\n'
        ),
    ),
    "ollama": (
        OLLAMA,
        (
            '{{"model":"llama3.2","created_at":"2026-08-04T08:52:19.{n}Z",'
            '"message":{{"role":"assistant","content":"{text}"}},"done":false}}\n'
        ),
    ),
    "cohere": (
        COHERE,
        (
            'event: content-delta\ndata: {{"type":"content-delta","index":0,'
            '"delta":{{"message":{{"content":{{"text":"{text}"}}}}}}}}\n\n'
        ),
    ),
    "ui_message": (UI_MESSAGE, 'data: {{"type":"text-delta","id":"0","delta":"{text}"}}\n\n'),
}


def frames(around, count):
    """Return the frames of one answer."""
    draw, letters = random.Random(1), string.ascii_letters
    return [
        around.format(
            text=TEXTS[n % len(TEXTS)],
            n=100_000_000 + n,
            pad="".join(draw.choices(letters, k=draw.randrange(4, 16))),
        ).encode()
        for n in range(count)
    ]


def measured(dialect, raws, *, parsed):
    """Return the microseconds of a frame, and the text of all."""
    reader, decoder, said = dialect.reader(), dialect.decoder(), []
    reader._forms_left *= not parsed
    began = process_time()
    for raw in raws:
        plain = reader.plain(raw)
        if plain is not None:
            said += reader.read_plain(plain)[1]
            continue
        for event in decoder.feed(raw):
            said += reader.read(event).values()
    return (process_time() - began) / len(raws) * 1e6, "".join(said)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--frames", type=int, default=400)
    parser.add_argument("--repeats", type=int, default=7)
    args = parser.parse_args()
    print("| frames of | cut out, us | parsed, us |\n| --- | --- | --- |")
    for name, (dialect, around) in PROTOCOLS.items():
        raws, runs = frames(around, args.frames), []
        for _ in range(args.repeats):
            runs.append([measured(dialect, raws, parsed=parsed) for parsed in (False, True)])
            assert runs[-1][0][1] == runs[-1][1][1], "both ways read the same"
        least = [min(run[way][0] for run in runs) for way in (0, 1)]
        print(f"| {name} | {least[0]:.1f} | {least[1]:.1f} |")


if __name__ == "__main__":
    main()
