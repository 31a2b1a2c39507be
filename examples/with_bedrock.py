"""Guard a stream of Amazon Bedrock's ConverseStream: its document blocks are the passages.

    pip install -e '.[bedrock]'
    python examples/with_bedrock.py

With aiobotocore or aioboto3 it is the same with `guard` and `async`.
"""

import boto3
from fake_model import PASSAGE, QUESTION, fake_model

from streamguard import guard_sync
from streamguard.integrations.bedrock import context_of

DOCUMENT = {"document": {"name": "plans", "format": "txt", "source": {"text": PASSAGE}}}
REQUEST = {
    "modelId": "fake",
    "messages": [{"role": "user", "content": [DOCUMENT, {"text": QUESTION}]}],
}
# A real client finds region and credentials by itself.
FAKE = {"region_name": "eu-west-1", "aws_access_key_id": "none", "aws_secret_access_key": "none"}


def main(base_url: str) -> None:
    client = boto3.client("bedrock-runtime", endpoint_url=base_url, **FAKE)
    response = client.converse_stream(**REQUEST)
    with guard_sync(response["stream"], context=context_of(REQUEST)) as stream:
        for event in stream.items():
            if "contentBlockDelta" in event:
                print(event["contentBlockDelta"]["delta"].get("text", ""), end="", flush=True)
    result = stream.result
    print(f"\n{result.status}: {result.reasons[0].message}")


if __name__ == "__main__":
    with fake_model() as url:
        main(url)
