"""Hand-written segmentation cases. `⏐` stands between two sentences and is no part of the text.

Every case is fed under every split. White space around `⏐` belongs to nobody.
"""

PLAIN = [
    "A tab.\t⏐Then more.", "That was in 1999. ⏐2000 was better.", "Stop. ⏐– En dash first.",
    "He said no. ⏐€5 is enough.", "Question?No space here.", "x! = x (x-1)!",
    "It is what it is. ⏐(Nobody knows why.) ⏐End.", "They won (again!) and left.", "What ? ! ⏐No.",
]  # fmt: skip

ABBREVIATIONS = [
    "Mr. and Mrs. Jones, Prof. Lee and St. Mary are here.", "See Fig. 3. ⏐It is blue.",
    "Is it true? ⏐No. ⏐It is not.", "It opened in Jan. ⏐The rest is history.",
    "He arrived on Sat. 5 May.", "There he sat. ⏐Then he stood.",
    "Acme Corp. President Jane Doe spoke.", "Apples, pears, etc. are fruit.",
    "Apples, pears, etc. ⏐Vegetables are different.", "Pots (Crane, etc.) - a guide.",
    "Meet me at 5 p.m. EST.",
    "At 9 a.m. Mr. Jones came first.", "J.R.R. Tolkien wrote it.",
    "Calif. Governor Doe spoke.",
    "Smith et al. (2020) showed it.", "P.S. I love you.",
    "It ended in the E.U. ⏐“We left,” they said.", "You and I. ⏐Nobody else.",
]  # fmt: skip

NUMBERS = [
    "Eq. (4) follows from that.", "It costs $3.50. ⏐Cheap!",
    "Version 2.0.1 is out. ⏐Version 3 is not.", "The ratio is 3.14. ⏐The other is .5 or so.",
    "Growth was 5.%. ⏐Fine.", "His score: 3. ⏐Mine: 4.", "Section 3.2. applies. ⏐Section 4 too.",
    "Visit https://example.com/a.b?c=d. ⏐Then call.", "The class torch.Tensor is here.",
    "We finished the end.⏐The start was easier.",
]  # fmt: skip

QUOTES = [
    '"Come in." ⏐She came in.', '"Is it you?" he asked. ⏐"Yes."', "“Come in.” ⏐“No.”",
    'He said "no". ⏐Then he left.', "He said 'no.' and left.", '"Really?", he asked.',
    "It's the dogs'. ⏐The cats' is over there.", "«Come in.» ⏐She came in.",
    "He wrote (in a letter. ) ⏐She read it.", 'She wrote: "He came. ⏐He saw. ⏐He won."',
]  # fmt: skip

ELLIPSES = [
    "Well… maybe not.", "I was ... lost . . . and found.",
    "He stopped . . . . ⏐The rest is silence.",
    "Hm... ⏐What?",
]  # fmt: skip

CHAT = [
    "ok so i did that. ⏐then it broke. ⏐any ideas?", "great stuff! ⏐thanks a lot",
    "approx. half of it",
    "thanks Maria. ⏐see you", "i like “this”. ⏐maybe", "my yrs. there were good",
    '"what is this?" he said. ⏐no idea.', "i use it daily (mostly). ⏐works fine",
]  # fmt: skip

CITATIONS = [
    "It grew by 5 %.[1] ⏐It fell later.[2]", "It grew. [C1][C2] ⏐It fell.",
    "It grew. [C1, C2] ⏐It fell.", "It grew. (source: passage 2, page 3) ⏐It fell.",
    "It grew. ⏐(See the other page.) ⏐It fell.", "It grew. [1](https://a.b/c) ⏐It fell.",
    "It grew. ([1](https://a.b/c)) ⏐It fell.", "It grew. ⏐[pricing-faq](https://a.b/c) says more.",
    "It grew. ⏐[He was] glad.", "It grew.【4:0†source】 ⏐It fell.", "It grew.¹ ⏐It fell.²³",
    "It grew. ⏐[C1",
    "It grew. ⏐(Day 2 was worse.) ⏐It fell.", "It grew. ⏐(Bob) It fell.",
    "It grew. ⏐(Source: never\n⏐closed",
    "It grew. ⏐(Source: too long" + ", on and on" * 12,
    "It grew. [...] ⏐It fell.", "It grew. ⏐(Also, it fell.)",
]  # fmt: skip

MARKDOWN = [
    "## What is it? A guide\n⏐It is good.", "#hashtag is not a title. ⏐Right.",
    "1. First item. ⏐It has two sentences.\n⏐2. Second item.", "1.1. Scope of it\n⏐1.2. Terms",
    "2. Do it as in passage 3. ⏐Then rest.",
    "2. It takes 1, 2, 3. ⏐Then rest.",
    "**Bold.** ⏐Next.", "Done. ⏐*Next* one.", "> # Title. With a stop\n⏐> Text.",
    "| a. B | c! D |\n⏐|---|---|\n⏐| 1. E | f? G |", "Use `a.b. C` here. ⏐Then go.",
    "Use `a[0].b` or `c]` here. ⏐Then go.",
    "[A label. With stop](https://a.b/c.d) is a link. ⏐Next.",
    "- [ ] Do it. ⏐Then rest.\n⏐- [x] Done.", "~~Gone.~~ ⏐Next.",
    "```inline fence``` is code. ⏐Right.",
]  # fmt: skip

LINES = [
    "One\r\n⏐two\r\n\r\n⏐three", "One\u2028⏐two\u2029⏐three\u0085⏐four\x0b⏐five\x0c⏐six\r⏐seven",
    "\n\n\nOne\n\n\n⏐two\n\n", "A clause that was\n⏐wrapped by hand.",
]  # fmt: skip

SIGNS = [
    "Great! 😊 ⏐See you.", "Family. 👨‍👩‍👧 ⏐Next.", "Nice. 👍🏽 ⏐Next.",
    "Great 😊 See you.",
    "Done ✅. ⏐Next.", "今日は晴れです。⏐明日は雨です。", "「行こう。」⏐彼は立った。",
    "这是一句话。⏐这是另一句！⏐真的吗？⏐是的。",
    "यह सच है।⏐वह नहीं।", "彼は来た。[1]⏐彼女も来た。", "Is it so?नहीं", "¿Qué? ⏐¡No!",
    "\ud83d. ⏐\ude00",
    "A [ bracket. That stays open", "A ] bracket. ⏐That closes.", ") and ] and .",
]  # fmt: skip

CASES = [
    case
    for table in (PLAIN, ABBREVIATIONS, NUMBERS, QUOTES, ELLIPSES, CHAT, CITATIONS, MARKDOWN)
    for case in table
] + [*LINES, *SIGNS]
