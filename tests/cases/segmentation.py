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
    "Meet me at 5 p.m. EST.", "We opened at 9 a.m. ⏐Mr. Jones came first.",
    "At 9 a.m. Mr. Jones came first.", "J.R.R. Tolkien wrote it.",
    "It contains vitamin C. ⏐Oranges do too.", "Calif. Governor Doe spoke.",
    "Smith et al. (2020) showed it.", "P.S. I love you.",
    "It ended in the E.U. ⏐“We left,” they said.", "You and I. ⏐Nobody else.",
]  # fmt: skip

NUMBERS = [
    "Eq. (4) follows from that.", "He said no. ⏐(2) Then he left.", "It costs $3.50. ⏐Cheap!",
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
    "He stopped . . . . ⏐The rest is silence.", "He went on. ⏐. . . The rest is silence.",
    "Hm... ⏐What?",
]  # fmt: skip

CHAT = [
    "ok so i did that. ⏐then it broke. ⏐any ideas?", "great stuff! ⏐thanks a lot",
    "lol. ⏐ok. ⏐fine.", "oh. ⏐my bad", "We go to NZ. ⏐its lovely there.", "approx. half of it",
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
    "1. One ⏐2. Two ⏐3. Three", "2. Do it as in passage 3. ⏐Then rest.",
    "2. It takes 1, 2, 3. ⏐Then rest.", "1.) One ⏐2.) Two", "a) One ⏐b) Two", "• One ⏐• Two",
    "**Bold.** ⏐Next.", "Done. ⏐*Next* one.", "> # Title. With a stop\n⏐> Text.",
    "| a. B | c! D |\n⏐|---|---|\n⏐| 1. E | f? G |", "Use `a.b. C` here. ⏐Then go.",
    "Use ``a ` b. C`` here. ⏐Then go.", "Use `a[0].b` or `c]` here. ⏐Then go.",
    "It`s fine. ⏐Really.", "An open ` tick. More text",
    "[A label. With stop](https://a.b/c.d) is a link. ⏐Next.",
    "- [ ] Do it. ⏐Then rest.\n⏐- [x] Done.", "~~Gone.~~ ⏐Next.",
    "Text:\n\n⏐```python\n⏐x = a.b. C\n⏐print('Hi. There')\n⏐```\n⏐After. ⏐That.",
    "~~~\n⏐one. Two\n⏐```\n⏐three. Four\n⏐~~~\n⏐After. ⏐That.",
    "````\n⏐```\n⏐a. B\n⏐```\n⏐c. D\n⏐````\n⏐After. ⏐That.",
    "```\n⏐it's an odd ` tick. Yes\n⏐```\n⏐After. ⏐That.", "```inline fence``` is code. ⏐Right.",
    "- ```\n⏐  a. B\n⏐  ```\n⏐After. ⏐That.",
]  # fmt: skip

LINES = [
    "One\r\n⏐two\r\n\r\n⏐three", "One\u2028⏐two\u2029⏐three\u0085⏐four\x0b⏐five\x0c⏐six\r⏐seven",
    "\n\n\nOne\n\n\n⏐two\n\n", "A clause that was\n⏐wrapped by hand.",
]  # fmt: skip

SIGNS = [
    "Great! 😊 ⏐See you.", "Great 😊 See you.", "Nice. 👍🏽 ⏐Next.", "Family. 👨‍👩‍👧 ⏐Next.",
    "Done ✅. ⏐Next.", "今日は晴れです。⏐明日は雨です。", "「行こう。」⏐彼は立った。",
    "这是一句话。⏐这是另一句！⏐真的吗?⏐是的。",
    "यह सच है।⏐वह नहीं।", "彼は来た。[1]⏐彼女も来た。", "Is it so?नहीं", "¿Qué? ⏐¡No!",
    "\ud83d. ⏐\ude00",
    "A [ bracket. That stays open", "A ] bracket. ⏐That closes.", ") and ] and .",
]  # fmt: skip

# Kinds of stops that end nothing, in seven languages; a case a line.
ABROAD_NUMBERS = """
    Siehe Doc. No. 5 für Details. ⏐Mehr dort.
    Quote Ref. No. 4711 in your reply. ⏐Thanks.
    Rechnungsnr. 2024 wurde bezahlt. ⏐Danke.
    Nach Art. 5 Abs. 2 gilt das. ⏐Siehe Kap. 9.
    Le n.º 3 est fermé. ⏐Voir réf. 8812.
    El n.º 3 está cerrado. ⏐Véase la pág. 12.
    Según el art. 5 es gratis. ⏐Consulte el núm. 7.
    L'art. 12 lo vieta. ⏐Vedi pag. 31.
    Zie art. 4 en blz. 12. ⏐Daarna verder.
    Ver a pág. 8 e o art. 3. ⏐Depois siga.
    Geschäftszeichen Az. 3 C 118/23 gilt. ⏐Ende.
    Die Schale (mind. 2 Liter) reicht. ⏐Fertig.
    Tel. Nr. 030 123 gilt. ⏐Ende.
"""

ABROAD_MILLIONS = """
    Das kostet 5 Mio. Euro im Jahr. ⏐Mehr nicht.
    Es sind 3 Mrd. Dollar. ⏐Die Hälfte fehlt.
    Der Umsatz liegt bei 8,9 Mio. €. ⏐Er wächst.
    Es waren 5 Mio. ⏐Das ist viel.
    Rund 40 Tsd. Besucher kamen. ⏐Alle zahlten.
    Costa 2 mln. Euro l'anno. ⏐Poi basta.
    Het kost 5 mln. Euro per jaar. ⏐Meer niet.
    Es dauert 2 Std. Fahrt. ⏐Dann Pause.
    Wir haben 50 Stk. Schrauben. ⏐Sie reichen.
    Custa 5 mln. Reais por ano. ⏐Depois acaba.
"""

ABROAD_ORDINALS = """
    Der 3. Mai ist frei. ⏐Am 14. November auch.
    Vom 1. Januar bis 31. März gilt es. ⏐Danach nicht.
    Die Frist endet am 31. Dezember 2025. ⏐Dann ist Schluss.
    In den Ferien (14.–25. April) ist zu. ⏐Danach offen.
    Wir wohnen im 2. Stock. ⏐Der 3. Stock ist frei.
    Neue 1. Vorsitzende ist Frau Berg. ⏐Sie dankt.
    Ab dem 10. Jahr sind es 32. ⏐Davor 30.
    Er kommt jeden 2. Samstag im Monat. ⏐Sonst nie.
    Im 19. Jahrhundert war es so. ⏐Heute nicht.
    Das 5. Lebensjahr zählt. ⏐Das 6. Lebensjahr auch.
    Er war 14. ⏐Sie war 12.
    Es kommt am 5. ⏐Die Frist ist um.
"""

ABROAD_APART = """
    Obst, z. B. Äpfel, ist gesund. ⏐Gemüse auch.
    Tiere, z.B. Hunde, dürfen mit. ⏐Katzen nicht.
    Frutas, p. ej. Manzanas, son sanas. ⏐Nada más.
    Das gilt i. d. R. Montags. ⏐Sonst nicht.
    Der Verein Delphin e. V. Bornheide lädt ein. ⏐Alle kommen.
    Er lebte 50 v. Chr. Dann starb er.
    Abre a las 9 a. m. Lunes cerrado.
    Abre a las 9 a. m. ⏐El lunes cierra.
    Das ist u. a. Herrn Vogt bekannt. ⏐Ihr nicht.
    Por ex., p. ex. Lisboa é cara. ⏐Porto não.
    D. h. Kinder zahlen nichts. ⏐Gut so.
    Vive en EE. UU. desde 1990. ⏐Es feliz.
"""

ABROAD_WORDS = """
    Das gilt ggf. auch für Sie. ⏐Fragen Sie uns.
    Hunde bzw. Katzen dürfen mit. ⏐Vögel nicht.
    Preise inkl. Frühstück gelten. ⏐Zzgl. Kurtaxe.
    Vgl. Seite 5. ⏐Mehr dort.
    Il sig. Tonon è contrario. ⏐La sig.ra Bassi no.
    L'avv. Gallo e il dott. Moretti firmano. ⏐Poi basta.
    La Sra. Beltrán y el Sr. Quirós votan. ⏐Nadie más.
    MM. Tissot et Durand sont absents. ⏐Rien d'autre.
    Prix env. 12 € par jour. ⏐Rien d'autre.
    Dieren, bijv. Honden, mogen mee. ⏐Katten niet.
    Brot, Milch usw. sind da. ⏐Mehr nicht.
    Pane, latte ecc. sono qui. ⏐Basta.
    O Exmo. Senhor assina. ⏐Depois sai.
"""

CASES = [
    case
    for table in (PLAIN, ABBREVIATIONS, NUMBERS, QUOTES, ELLIPSES, CHAT, CITATIONS, MARKDOWN)
    for case in table
] + [*LINES, *SIGNS]
for table in (ABROAD_NUMBERS, ABROAD_MILLIONS, ABROAD_ORDINALS, ABROAD_APART, ABROAD_WORDS):
    CASES += map(str.strip, table.strip().splitlines())
