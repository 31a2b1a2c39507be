"""A chat over a folder of documents, in the terminal: the pieces behind `streamguard chat`.

OPENAI_API_KEY=... python examples/rag_chat.py docs/
OPENAI_BASE_URL=http://127.0.0.1:8000/v1 MODEL=my-model OPENAI_API_KEY=none python ...
"""

import asyncio
import os
import sys

import openai

from streamguard import Policy, guard
from streamguard.rag import smalltalk
from streamguard.rag.folder import FolderStore
from streamguard.rag.followups import searched_for
from streamguard.rag.gate import assess, policy_on
from streamguard.rag.indexing import FolderTarget, index_folder
from streamguard.rag.prompts import build_prompt

COLLECTION = "documents"


async def answer(
    client: openai.AsyncOpenAI,
    store: FolderStore,
    policy: Policy,
    question: str,
    history: list[dict[str, str]],
) -> str:
    """Print the answer to one question as it comes, then the verdict; return the answer."""
    greets = smalltalk.is_greeting(question)
    if greets or smalltalk.asks_for_documents(question):
        write = smalltalk.greeting_answer if greets else smalltalk.documents_answer
        said = write(list(store.sources(COLLECTION)))
        print(said)
        return said

    found = store.query([COLLECTION], searched_for(question, history), 6)
    retrieval = assess(found, policy)
    print(f"[{retrieval.confidence_level}: {retrieval.filtered_count} of {retrieval.raw_count}]")
    prompt = build_prompt(question, retrieval, policy, history)
    request = client.chat.completions.create(
        model=os.environ.get("MODEL", "gpt-4o-mini"), stream=True, messages=list(prompt.messages)
    )
    said = ""
    async with guard(request, context=prompt.context, policy=policy) as stream:
        async for chunk in stream.items():
            piece = chunk.choices[0].delta.content or "" if chunk.choices else ""
            print(piece, end="", flush=True)
            said += piece
    result = stream.result
    print(f"\n[{result.status}: {result.reasons[0].message}]")
    for banner in result.banners:
        print(f"[{banner.text}]")
    for finding in result.findings:
        print(f"  - {finding.message}")
    return said


async def main(folder: str) -> None:
    store = FolderStore()
    index_folder(folder, FolderTarget(store, COLLECTION))
    policy = policy_on(store, [COLLECTION], Policy.preset("moderate"))
    history = []
    async with openai.AsyncOpenAI() as client:
        for line in sys.stdin:
            if question := line.strip():
                said = await answer(client, store, policy, question, history)
                history += [
                    {"role": "user", "content": question},
                    {"role": "assistant", "content": said},
                ]
    store.close()


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python examples/rag_chat.py FOLDER, where FOLDER holds the documents")
    asyncio.run(main(sys.argv[1]))
