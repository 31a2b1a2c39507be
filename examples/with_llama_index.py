"""Guard a LlamaIndex query engine: its answer is judged against the nodes it retrieved.

pip install -e '.[llama-index]'
python examples/with_llama_index.py
"""

from collections.abc import Iterator
from typing import Any

from llama_index.core import Document, SummaryIndex
from llama_index.core.llms import CompletionResponse, CustomLLM, LLMMetadata
from llama_index.core.llms.callbacks import llm_completion_callback

from streamguard.integrations.llama_index import guarded_response

QUESTION = "What does the Basic plan cost?"
PIECES = ["The Basic plan ", "costs $59 ", "per month. ", "It includes one seat."]


class FakeModel(CustomLLM):
    """Stand in for a model: any of LlamaIndex's does."""

    @property
    def metadata(self) -> LLMMetadata:
        return LLMMetadata()

    @llm_completion_callback()
    def complete(self, prompt: str, formatted: bool = False, **_: Any) -> CompletionResponse:
        return CompletionResponse(text="".join(PIECES))

    @llm_completion_callback()
    def stream_complete(
        self, prompt: str, formatted: bool = False, **_: Any
    ) -> Iterator[CompletionResponse]:
        said = ""
        for piece in PIECES:
            said += piece
            yield CompletionResponse(text=said, delta=piece)


def main() -> None:
    passage = Document(text="The Basic plan costs $49 per month and includes one seat.")
    engine = SummaryIndex.from_documents([passage]).as_query_engine(llm=FakeModel(), streaming=True)
    response = guarded_response(engine.query(QUESTION), QUESTION)
    response.print_response_stream()
    result = response.metadata["streamguard"]["result"]
    print(f"\n{result['status']}: {result['reasons'][0]['message']}")


if __name__ == "__main__":
    main()
