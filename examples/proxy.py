"""Read the verdict that the proxy puts into an ordinary stream.

    streamguard proxy --upstream https://api.openai.com/v1 --listen 127.0.0.1:8400
    OPENAI_API_KEY=... OPENAI_BASE_URL=http://127.0.0.1:8400 python examples/proxy.py

Nothing of streamguard is imported here: an application changes its base URL, that is all.
"""

import os

import openai

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
        for chunk in stream:
            for choice in chunk.choices:
                print(choice.delta.content or "", end="", flush=True)
            annotation = getattr(chunk, "streamguard", None)
            if annotation is not None:
                result = annotation["result"]
                print(f"\n{result['status']}: {result['reasons'][0]['message']}")
                for finding in result["findings"]:
                    print(f"- {finding['message']}")


if __name__ == "__main__":
    main()
