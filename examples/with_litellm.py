"""Guard LiteLLM's proxy: the guardrail class it loads, here run on one streamed request.

    pip install -e '.[litellm]'
    python examples/with_litellm.py

In the proxy it is five settings in `config.yaml`: see `docs/guides/frameworks.md`.
"""

import asyncio
import os

os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")  # fetch no list of prices

import litellm
from fake_model import PASSAGE, QUESTION, fake_model

from streamguard.integrations.litellm import StreamguardGuardrail


async def main(base_url: str) -> None:
    guardrail = StreamguardGuardrail(guardrail_name="streamguard")
    request = {
        "model": "openai/fake",
        "messages": [
            {"role": "system", "content": f"Answer from this passage only:\n[C1] {PASSAGE}"},
            {"role": "user", "content": QUESTION},
        ],
    }
    response = await litellm.acompletion(
        **request, stream=True, api_base=f"{base_url}/v1", api_key="none"
    )
    # What the proxy calls for every stream.
    guarded = guardrail.async_post_call_streaming_iterator_hook(None, response, request)
    async for chunk in guarded:
        print(chunk.choices[0].delta.content or "", end="", flush=True)
        if annotation := getattr(chunk, "streamguard", None):
            result = annotation["result"]
            print(f"\n{result['status']}: {result['reasons'][0]['message']}")


if __name__ == "__main__":
    with fake_model() as url:
        asyncio.run(main(url))
