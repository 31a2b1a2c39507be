"""Read the verdict that the proxy puts into an ordinary stream.

    streamguard proxy --upstream https://api.openai.com/v1
    OPENAI_API_KEY=... OPENAI_BASE_URL=http://127.0.0.1:8080 python examples/proxy.py

An application changes its base URL, that is all. Of streamguard it needs `annotation_of` alone: the
model's server may send a key of the same name, and only the response's header tells ours from it.
"""

import os

import openai

from streamguard.client import ID_HEADER, annotation_of

QUESTION = "What does the Basic plan cost?"
PASSAGE = "The Basic plan costs $49 per month and includes one seat."


def main() -> None:
    with openai.OpenAI() as client:
        stream = client.chat.completions.create(
            model=os.environ.get("MODEL", "gpt-4o-mini"),
            stream=True,
            messages=[{"role": "user", "content": QUESTION}],
            # Taken out by the proxy. Passages behind [C1] marks in the messages need no such key.
            extra_body={"streamguard": {"query": QUESTION, "chunks": [PASSAGE]}},
        )
        name = stream.response.headers.get(ID_HEADER)
        for chunk in stream:
            for choice in chunk.choices:
                print(choice.delta.content or "", end="", flush=True)
            annotation = annotation_of(chunk, name)
            if annotation is not None:
                result = annotation["result"]
                print(f"\n{result['status']}: {result['reasons'][0]['message']}")


if __name__ == "__main__":
    main()
