"""Small talk claims nothing, in seven languages; what says something behind it does."""

import pytest

from streamguard.core.context import Context
from streamguard.core.machine.guard import StreamGuard
from streamguard.testing import feed_every_way

NOTHING = Context(query="Thanks a lot!", chunks=[])
PLANS = Context(query="Thanks a lot!", chunks=["The Solo plan costs $12 per month."])
PLANS.prepare()

SMALL_TALK = [
    "Glad I could help!", "I'm so happy that worked! Have a great rest of your week!",
    "No worries, any time!", "Happy gardening!", "Enjoy your trip! Safe travels!",
    "Good luck with your new garden!", "Hello! I'm doing well, thanks. How about you?",
    "Nice to meet you, too! I'm here whenever you need me.", "Well done! See you next time.",
    "Perfect! Anything else I can do for you?", "Ask me anything about the shop.",
    "Congratulations on your new bike!", "Great to hear that. Take care!",
    "Hallo! Wie kann ich Ihnen helfen?", "Gern geschehen! Einen schönen Tag noch!",
    "Vielen Dank für Ihre Geduld.", "Bonjour ! Comment puis-je vous aider ?", "Avec plaisir !",
    "¡De nada! ¡Que tenga un buen día!", "¡Hola! ¿En qué puedo ayudarte?", "Prego, a presto!",
    "Grazie mille per la pazienza!", "Graag gedaan! Fijne dag nog!", "Obrigado pelo contato!",
    "De nada! Tenha um ótimo dia!",
]  # fmt: skip
SAYS_SOMETHING = [
    "Glad you asked: refunds take 3 days.", "Happy customers pay $59.",
    "Congratulations, your refund is approved.", "Good luck finding cheaper plans than Acme.",
    "Have a great day at our new store in Berlin.", "Thanks to the Solo plan you save $40.",
    "Enjoy free returns for 60 days.", "Great service costs $90 a month.",
    "Hallo! Der Tarif kostet 59 €.", "Gracias a Acme pagas 20 € menos.",
    "You are a fool and nobody likes you.", "Hello, you fool.", "Bananas are rich in potassium.",
]  # fmt: skip


def result_of(answer, context):
    def read(pieces):
        guard = StreamGuard(context)
        for piece in pieces:
            guard.feed(piece)
        return guard.close()

    return feed_every_way(answer, read)


@pytest.mark.parametrize("answer", SMALL_TALK)
def test_small_talk_is_no_claim(answer):
    for context in (NOTHING, PLANS):
        result = result_of(answer, context)
        assert (result.status, result.reasons[0].code) == ("PASS", "no_claims"), context.chunks
        assert {one.flag for one in result.findings} <= {"no_context_warning"}


@pytest.mark.parametrize("answer", SAYS_SOMETHING)
def test_what_says_something_is_judged(answer):
    result = result_of(answer, NOTHING)
    assert (result.status, result.reasons[0].code) == ("REFUSE", "no_mapping")
