"""Guard a stream of the official Anthropic client: its document blocks are the passages.

pip install -e '.[anthropic]'
python examples/with_anthropic.py
"""

import anthropic
from fake_model import PASSAGE, QUESTION, fake_model

from streamguard import guard_sync
from streamguard.integrations.anthropic import context_of

DOCUMENT = {
    "type": "document",
    "source": {"type": "text", "media_type": "text/plain", "data": PASSAGE},
}
REQUEST = {
    "model": "fake",
    "max_tokens": 1024,
    "messages": [{"role": "user", "content": [DOCUMENT, {"type": "text", "text": QUESTION}]}],
}


def main(base_url: str) -> None:
    with anthropic.Anthropic(base_url=base_url, api_key="none") as client:
        source = client.messages.create(**REQUEST, stream=True)
        with guard_sync(source, context=context_of(REQUEST)) as stream:
            for event in stream.items():
                if event.type == "content_block_delta":
                    print(event.delta.text, end="", flush=True)
    result = stream.result
    print(f"\n{result.status}: {result.reasons[0].message}")


if __name__ == "__main__":
    with fake_model() as url:
        main(url)
