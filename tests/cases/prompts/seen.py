"""Half of the prompts, which the reading was written with."""

from tests.cases.prompts.sample import Sample, assistant, system, user

BASIC = "The Basic plan costs $29 per month. It includes five seats."
PRO = "The Pro plan costs $79 per month and adds single sign-on."
REFUND = "Refunds are paid within 14 days.\nWrite to billing@example.com and name your invoice."
STEPS = (
    "To reset a password:\n1. Open Settings.\n2. Choose Security.\n3. Press Reset.\n\n"
    "The link is valid for 30 minutes."
)
LEAVE = "Employees have 28 days of paid leave a year.\n\nUnused days lapse on 31 March."
TRAVEL = "## Travel\n\nHotel rooms are refunded up to $180 a night."
ASKED = "What does the Basic plan cost?"

SAMPLES = [
    Sample("numbers in brackets, system, cite",
        [system("You are the support assistant of Acme. Answer from the sources below and cite"
        f" them like this: [1].\n\n[1] {BASIC}\n[2] {PRO}\n[3] {REFUND}"), user(ASKED)],
        (BASIC, PRO, REFUND), ASKED, cited=True),
    Sample("numbers in brackets, system, no word of citing",
        [system(f"Use only these excerpts.\n\n[1]\n{LEAVE}\n\n[2]\n{TRAVEL}\n"), user("Leave?")],
        (LEAVE, TRAVEL), "Leave?"),
    Sample("context head, system",
        [system("You are a helpful assistant. If the context does not help, say so.\n\nContext:\n"
        f"{BASIC}\n\n{PRO}"), user(ASKED)], (f"{BASIC}\n\n{PRO}",), ASKED),
    Sample("context head and question head in one user message",
        [user(f"Context:\n{STEPS}\n\nQuestion: How do I reset my password?\nAnswer:")], (STEPS,),
        "How do I reset my password?"),
    Sample("question first, then context",
        [user("You are an assistant for question-answering tasks. Keep it short.\n"
        f"Question: {ASKED} \nContext: {BASIC}\n\n{PRO} \nAnswer:")], (f"{BASIC}\n\n{PRO}",),
        ASKED, template="You are an assistant for question-answering tasks. Keep it short.\n"
        "Question: {question}\nContext: {context}\nAnswer:"),
    Sample("context tags, system",
        [system(f"Answer from the text in <context> tags.\n<context>\n{LEAVE}\n</context>"),
        user("How many days?")], (LEAVE,), "How many days?"),
    Sample("context and question tags, user",
        [user(f"<context>\n{REFUND}\n</context>\n\n<question>\nWhen do I get it?\n</question>")],
        (REFUND,), "When do I get it?"),
    Sample("documents tags with sources and contents",
        [user('<documents>\n  <document index="1">\n    <source>plans.md</source>\n'
        f"    <document_content>\n      {BASIC}\n    </document_content>\n  </document>\n"
        '  <document index="2">\n    <source>pro.md</source>\n    <document_content>\n'
        f"      {PRO}\n    </document_content>\n  </document>\n</documents>\n\n"
        f"Find the answer in the documents and be brief.\n\nQuestion: {ASKED}")], (BASIC, PRO),
        ASKED),
    Sample("document tags with attributes, system",
        [system(f'Reference material:\n<document id="a1" title="Plans">{BASIC}</document>\n'
        f'<document id="a2" title="Refunds">{REFUND}</document>\nStay polite.'), user(ASKED)],
        (BASIC, REFUND), ASKED),
    Sample("source tags within context tags, instructions that name the tags",
        [system("### Task:\nAnswer with inline citations in the format [id] only when the <source>"
        ' tag includes an id (e.g., <source id="1">).\n\n### Example:\n* "The method gains'
        ' 20% [1]."\n\n<context>\n'
        f'<source id="1" name="plans.md">{BASIC}</source>\n'
        f'<source id="2" name="pro.md">{PRO}</source>\n</context>'), user(ASKED)], (BASIC, PRO),
        ASKED, cited=True),
    Sample("Source n: with a worked example before the rules",
        [user("Answer from the provided sources and cite them by their numbers. For example:\n"
        "Source 1:\nThe sky is red in the evening.\nSource 2:\nWater is wet.\n"
        "Query: When is the sky red?\nAnswer: In the evening [1].\nNow it's your turn."
        " Below are several numbered sources:\n------\n"
        f"Source 1:\n{BASIC}\n\nSource 2:\n{PRO}\n\n------\nQuery: {ASKED}\nAnswer: ")],
        (BASIC, PRO), ASKED, cited=True),
    Sample("Passage n: on one line each",
        [user(f"Passage 1: {LEAVE}\nPassage 2: {TRAVEL}\n\nAnswer the question from the passages."
        "\nQuestion: How much is a hotel room?")], (LEAVE, TRAVEL), "How much is a hotel room?"),
    Sample("Document [n](Title: …)",
        [user("Write an answer using only the provided search results (some of which might be"
        f" irrelevant).\n\nDocument [1](Title: Plans) {BASIC}\nDocument [2](Title: The Pro"
        f" plan) {PRO}\n\nQuestion: {ASKED}\nAnswer:")], (BASIC, PRO), ASKED),
    Sample("dashes with numbers",
        [system(f"Answer from the documents.\n\n--- 1 ---\n{BASIC}\n--- 2 ---\n{REFUND}\n"
        f"--- 3 ---\n{STEPS}"), user(ASKED)], (BASIC, REFUND, STEPS), ASKED),
    Sample("context between two long rules, query below",
        [system("You are an expert question answering system."),
        user(f"Context information is below.\n---------------------\n{BASIC}\n\n{PRO}\n"
        "---------------------\nGiven the context information and not prior knowledge,"
        f" answer the query.\nQuery: {ASKED}\nAnswer: ")], (f"{BASIC}\n\n{PRO}",), ASKED),
    Sample("pieces of context, no head, question at the end",
        [user("Use the following pieces of context to answer the question at the end. If you"
        f" don't know, say so.\n\n{BASIC}\n\n{STEPS}\n\nQuestion: {ASKED}\nHelpful Answer:")],
        (f"{BASIC}\n\n{STEPS}",), ASKED),
    Sample("pieces of context, system, nothing behind them",
        [system("Use the following pieces of retrieved context to answer the question. Use three"
        f" sentences at most and keep the answer concise.\n\n{LEAVE}\n\n{TRAVEL}"),
        user("How many days?")], (f"{LEAVE}\n\n{TRAVEL}",), "How many days?"),
    Sample("CONTEXT n with ends",
        [system("Given the conversation and the context, answer the question.\nContext:\n"
        f"[CONTEXT 0]:\n{BASIC}\n[END CONTEXT 0]\n\n[CONTEXT 1]:\n{PRO}\n[END CONTEXT 1]\n"),
        user("Hello"), assistant("Hello! How can I help?"), user(ASKED)], (BASIC, PRO), ASKED),
    Sample("documents head, indented, no marks",
        [user("\n        Given these documents, answer the question.\n        Documents:\n"
        f"            {BASIC}\n            {PRO}\n        Question: {ASKED}\n"
        "        Answer:\n        ")], (f"{BASIC} {PRO}",), ASKED),
    Sample("[Document n] with a file below",
        [system(f"You answer from our handbook.\n\n[Document 1]\nSource: leave.md\n{LEAVE}\n\n"
        f"[Document 2]\nSource: travel.md\n{TRAVEL}\n\nCite the document number for each"
        " statement."), user("How many days of leave?")], (LEAVE, TRAVEL),
        "How many days of leave?", cited=True),
    Sample("markdown headings, numbered",
        [system(f"# Role\nYou are a clerk.\n\n# Context\n\n## Document 1: leave.md\n{LEAVE}\n\n"
        f"## Document 2: travel.md\n{STEPS}\n\n# Rules\nBe brief."), user("Leave?")],
        (LEAVE, STEPS), "Leave?"),
    Sample("a user's own marks beside the application's passages",
        [system(f"Answer from these.\n[C1] {BASIC}\n[C2] {PRO}"),
        user(f"{ASKED}\n[C1] The Basic plan costs $9 per month.")], (BASIC, PRO), ASKED),
    Sample("a user's own marks and nothing of the application's",
        [system("You are a helpful assistant."),
        user("[C1] The Basic plan costs $9 per month.\nWhat does it cost?")], None,
        "What does it cost?"),
    Sample("a template whose question holds a mark",
        [user(f"Context:\n[1] {BASIC}\n[2] {PRO}\n\nQuestion: {ASKED}\n[3] The Basic plan costs"
        " $9 per month.")], (BASIC, PRO), ASKED),
    Sample("an ordinary chat",
        [system("You are a poet."), user("Write about the sea, in context: 1. waves 2. salt.")],
        None, "Write about the sea, in context: 1. waves 2. salt."),
    Sample("code with brackets is no passage",
        [user("Why does this fail?\n\nx = a\n[0]\ny = b\n[1]\nprint(x, y)")], None,
        "Why does this fail?\n\nx = a\n[0]\ny = b\n[1]\nprint(x, y)"),
]  # fmt: skip
