"""The citation marks of products: a table with one row per form."""

from __future__ import annotations

from typing import Literal, NamedTuple

# How a mark names a passage: by its place, counted from 1 or from 0, by its id, its file's name or
# its address, or by its place in a list of results that only the product has.
By = Literal["number", "index", "id", "file", "link", "result"]

# Words for a passage in a mark: "[Source 2]", "[doc1]", "(see Document 3)", "[Source: a.md]".
WORD = (
    r"(?:sources?|refs?\.?|references?|passages?|documents?|docs?|chunks?|excerpts?"
    r"|cit(?:e|ed|ation|ations)|quellen?|dokument|fuentes?|fontes?|fonti|bron(?:nen)?|kilder?"
    r"|źródł[oa]|kaynak|источники?|来源|來源|出处|出典|参考|引用|文档|資料|资料|출처|문서|المصدر|مصدر|स्रोत)"
)
CALLED = rf"(?:see[ ])?{WORD}(?:[ ]?[:#][ ]?|[ ])"
NUMBER = rf"(?:(?:{CALLED}|{WORD}[:_-]?)?C?\d{{1,6}})"
# Several at once: "C1, C3", "C1-C3", "C1; 4", "C1 and C2"; a page may follow.
AND = r"[ ]{0,2}(?:[,;&–-]|/(?=c)|(?<=[ ])and(?=[ ]))[ ]{0,2}"
_NUMBERS = (
    rf"[ ]?\^?(?:see[ ])?{NUMBER}(?:{AND}{NUMBER}){{0,20}}\^?"
    r"(?:,?[ ](?:p|pp|page|pages)\.?[ ]?\d{1,5}(?:[–-]\d{1,5})?)?[ ]?"
)
_FILE = r"[^()\[\]【】\s,;]{1,100}\.[a-z]{2,5}"
# An address in brackets, which may hold brackets itself: "(https://x.org/a_(b).pdf)"; no "($59)".
_ADDRESSED = r"(?=[a-z]{1,12}:|[./#]|[A-Za-z_][\w%-]{0,60}[./]|[0-9a-f]{8}-[0-9a-f]{4}-)"
_TARGET = rf"\({_ADDRESSED}(?:[^()\s]|\([^()\s]{{0,100}}\)){{1,500}}\)"
_UNLINKED = rf"(?!{_TARGET})"
ELEMENT = r"(?:cite|citations?|inref|ref(?:erence)?s?|sources?|src|source_ids?)"
_ATTRIBUTE = (
    r"(?i:(?<![^\W_])(?:ids?|refs?|doc|source|src|number|chunk|passage"
    r"|(?:doc|source|chunk|passage)_?id)\s?=\s?[\"']?)"
)
_TURN = r"turn\d{1,3}[a-z]{2,16}\d{1,4}"
_LINES = r"(?:L\d{1,6}(?:-L?\d{1,6})?)?"
SUPERSCRIPT_DIGITS = "⁰¹²³⁴⁵⁶⁷⁸⁹"
_SUPERSCRIPT = rf"[{SUPERSCRIPT_DIGITS}]{{1,2}}"
# A place in a file, behind its name: "a.md, p. 3", "a.md:12-20", "a.md#L3-L9".
LOCATOR = (
    r"(?:,?[ ](?:p|pp|pages?|lines?|S|Seiten?)\.?[ ]?\d{1,5}(?:[–-]\d{1,5})?"
    r"|:\d{1,6}(?:[–-]\d{1,6})?|#L?\d{1,6}(?:-L?\d{1,6})?)"
)
# No power of a figure or a unit, as in "10²", "m²", "(a + b)²": a word or a stop is before it.
_LETTER = rf"[^\W\d_{SUPERSCRIPT_DIGITS}]"
_NO_UNIT = (
    r"(?<!inch)(?<!foot)(?<!feet)(?<!yard)(?<!mile)(?<!meter)(?<!metre)(?<!sin)(?<!cos)(?<!tan)"
)
NO_POWER = (
    rf"(?:(?<={_LETTER}{{3}})|(?<={_LETTER}{{3}}[ ])"
    r"|(?<=[.,;:!?\"'%])|(?<=[.,;:!?\"'%][ ]))"
    rf"{_NO_UNIT}"
)


# A mark of no known form: at the end of a clause, as marks stand, and with a number or a word that
# cites. "[web:3].", "[T1]", "{{ref 2}}", "⟦3⟧", "word^2", "<note id=3>".
PRIVATE = "".join(map(chr, (*range(0xE000, 0xE010), *range(0xE200, 0xE210), 0xF8FF)))
_CITES = r"(?i:[A-Z_-]{0,12}(?:cit|ref|source|doc|note|chunk|passage|evidence)[A-Z_-]{0,12})"
CIRCLED = "".join(map(chr, (*range(0x2460, 0x2474), *range(0x2776, 0x2780))))
_PLACE = r"\d{1,2}(?:\.\d{1,2}){1,2}"
_PAGES = r"\d{1,5}(?:-\d{1,5})?(?:[,;][ ][^()\n]{1,200})?"
_ARGUMENT = r"<argument[ ][^<>\n]{1,60}>[^<>\n]{0,60}</argument>"
_CITING = r"(?i:cit(?:e|ation)|footnote|source-?id)"
_OF_PRODUCTS = "|".join(
    (
        rf"(?<=[ ])\[{_PLACE}(?:,[ ]?{_PLACE}){{0,9}}\]",  # Gemini: a list of lists
        r"\[-1\]|(?<=[ ])\[0\]",  # DeepSeek: none
        r"\[(?=[0-9]*[a-f])(?=[a-f]*[0-9])[0-9a-f]{7,8}\]",  # R2R: a chunk's short id
        r"\[\^[^\[\]\s^]{1,40}\]",  # footnotes with names
        r"\[Data: [^\[\]\n]{1,200}\]|\[(?:KG|DC)\]",  # GraphRAG, LightRAG: rows of tables
        r"\[REF\][^\[\]\n]{1,60}\[/REF\]",  # Mistral's tokens
        rf"\([A-Za-z][\w-]{{1,60}}\d[\w-]{{0,60}}[ ]pages?[ ]{_PAGES}\)",  # PaperQA
        r"\(pqac-[0-9a-f]{8}(?:,[ ]pqac-[0-9a-f]{8}){0,9}\)",
        rf"<grok:render[ ][^<>\n]{{1,200}}>(?:{_ARGUMENT})?</grok:render>",  # Grok
        rf"<{_CITES}>[^<>\n]{{1,60}}</{_CITES}>",
        rf"<[a-z]{{1,10}}[ ][^<>\n]{{0,60}}{_CITING}[^<>\n]{{0,100}}>(?:</[a-z]{{1,10}}>)?",
        r"\{{2}\d{1,2}\}{2}|\^\[?\d{1,2}\]?\^",
    )
)
WIDE = "⟦⟧〔〕〖〗⟨⟩❲❳"
_UNKNOWN = (
    r"(?:(?<=[\w.,;:!?)\"'%\]] )|(?<=[\w.,;:!?)\"'%\]]))(?:"
    r"\[{1,2}(?:[#§]|[A-Za-z][A-Za-z_.:#/-]{0,15})[ ]?\d{1,4}"
    rf"(?:[ ]?[,;][ ]?[A-Za-z_.:#/-]{{0,16}}\d{{1,4}}){{0,9}}\]{{1,2}}(?:\(\)|{_UNLINKED})"
    rf"|{_OF_PRODUCTS}"
    rf"|\{{{{1,2}}[ ]?{_CITES}[^{{}}\n]{{0,60}}\}}{{1,2}}|(?<=[ ])\{{\d{{1,2}}\}}"
    rf"|[⟦〔〖⟨❲]\^?[^{WIDE}\n]{{0,30}}\d[^{WIDE}\n]{{0,30}}[⟧〕〗⟩❳]"
    r"|【[^【】\n]{0,80}[\d†][^【】\n]{0,80}】"
    rf"|(?<=[^\W\d_]{{3}}){_NO_UNIT}\^[\[(]?\d{{1,2}}[\])]?"
    rf"|<{_CITES}(?:[ :=_-][^<>\n]{{0,100}})?>|[{PRIVATE}][!-~]{{1,60}}[{PRIVATE}]"
    r")(?![^\W_])"
)
_NOTE = (
    r"(?:(?<=[\w)\"'%\]] )|(?<=[\w)\"'%\]]))(?:"
    r"(?<= )\((?:#|CONTEXT |Context )?\d{1,2}\)(?=[.,;:!?]|\s*\Z)|⁽[⁰¹²³⁴-⁹]{1,2}⁾"
    rf"|[{CIRCLED}](?=[.,;:!?{CIRCLED}]|\s*\Z)|(?<=[^\W\d_]{{3}})[†‡](?![^\W_])"
    r")"
)

# The contents of a mark: all in its brackets, its address, its number in a list of results,
# several numbers, nothing.
INSIDE = r"[\[【(]\s?([^\[\]【】()\n]{1,140})"
_ADDRESS = r"\((\S{1,500})\)\Z"
_RESULT = r"turn\d{1,3}[a-z]{2,16}(\d{1,4})"
# LibreChat writes the signs of ChatGPT, or escapes of them.
_E200, _E201, _E202 = (rf"(?:\\{sign}|\{sign})" for sign in ("ue200", "ue201", "ue202"))
LISTED = "listed"
_NOTHING = r"(?!)"

# The outcome of a mark without a passage: an error of the answer, since its number or name is meant
# for a given passage; unread text, which is reported; words of the answer.
Unknown = Literal["error", "unread", "text"]


class Form(NamedTuple):
    """One product's form of citation marks.

    `signs`: the characters that may begin a mark. `names`: pattern of the ids, files and addresses
    in it; `places`: pattern of a position in it. The match is their group, else all of it. `opens`:
    the mark precedes the cited words. `within`: it never follows their full stop.
    """

    name: str
    written_by: str
    example: str
    signs: str
    by: By
    unknown: Unknown
    pattern: str
    names: str = _NOTHING
    places: str = _NOTHING
    opens: bool = False
    within: bool = False


# In the order in which they are tried at a sign. Those whose places are `LISTED` name several.
FORMS = (
    Form(
        "tag",
        "streamguard `[C1]`, Open WebUI and LlamaIndex `[1]`, Azure OpenAI On Your Data `[doc1]`,"
        " DeepSeek `[citation:1]`, Gemini `[cite: 1, 2]`, Bing `[^1^]`",
        "[1, 2]",
        "[",
        "number",
        "error",
        rf"(?i:(?!\[0\])\[{_NUMBERS}[\]】]){_UNLINKED}",
        INSIDE,
        LISTED,
    ),
    Form(
        "linked tag",
        "xAI and Onyx `[[1]](url)`, prompts for links",
        "[1](https://x.org/a_(b))",
        "[",
        "link",
        "error",
        rf"(?i:\[\[{_NUMBERS}\]\]|\[{_NUMBERS}\]){_TARGET}",
        _ADDRESS,
        LISTED,
    ),
    Form(
        "index tag",
        "RAGFlow",
        "[ID:0]",
        "[",
        "index",
        "error",
        r"(?i:\[ID:[ ]?\d{1,4}(?:[ ]?[,;][ ]?(?:ID:[ ]?)?\d{1,4}){0,20}\])",
        INSIDE,
        r"\d{1,4}",
    ),
    Form(
        "key",
        "Pandoc",
        "[@handbook]",
        "[",
        "id",
        "unread",
        r"\[@[^\[\]\s@;,]{1,80}(?:,[ ][^\[\]@;]{1,40})?"
        r"(?:;[ ]@[^\[\]\s@;,]{1,80}(?:,[ ][^\[\]@;]{1,40})?){0,20}\]",
        r"@([^\[\]\s@;,]{1,80})",
    ),
    Form(
        "dagger",
        "OpenAI's Assistants and file search",
        "【4:0†plans.md】",
        "【",
        "file",
        "unread",
        r"【\d{1,4}:\d{1,4}†[^【】\n]{0,120}】",
        r"†([^【】\n]{1,120})",
        r"(?<=:)\d{1,4}(?=†)",
    ),
    Form(
        "cursor",
        "gpt-oss with its browser",
        "【13†L3-L5】",
        "【[",
        "result",
        "unread",
        r"[\[【]\d{1,4}†[^\[\]【】\n]{0,120}[\]】]",
        r"\d{1,4}(?=†)",
    ),
    Form(
        "lenticular tag",
        "OpenAI's models by their prompts",
        "【2】",
        "【",
        "number",
        "error",
        rf"(?i:【{_NUMBERS}[\]】])",
        INSIDE,
        LISTED,
    ),
    Form(
        "source in a tag",
        "prompts that name files",
        "[Source: plans.md]",
        "[【",
        "file",
        "unread",
        rf"[\[【](?i:(?:see[ ])?{WORD}:)[^\[\]【】\n]{{1,120}}[\]】]{_UNLINKED}",
        INSIDE,
    ),
    Form(
        "private-use signs",
        "ChatGPT, OpenAI's web and file search",
        "\ue200cite\ue202turn0file0\ue201",
        "\ue200",
        "result",
        "unread",
        r"\ue200(?:file)?cite(?:\ue202[^\ue200-\ue202\n]{1,60}){1,20}\ue201",
        _TURN,
        _RESULT,
    ),
    Form(
        "escaped signs",
        "LibreChat",
        r"\ue202turn0search0",
        "\\\ue200\ue202",
        "result",
        "unread",
        rf"{_E200}?(?:[ ]?{_E202}{_TURN}){{1,20}}{_E201}?",
        _TURN,
        _RESULT,
    ),
    Form(
        "lost signs",
        "the same, where the signs were dropped",
        "citeturn0file0",
        "cft",
        "result",
        "unread",
        rf"(?<![^\W_])(?:(?:file)?cite)?(?:{_TURN}{_LINES}){{1,20}}(?![^\W_]|-)",
        _TURN,
        _RESULT,
    ),
    Form(
        "content reference",
        "ChatGPT, as it is copied",
        ":contentReference[oaicite:0]{index=0}",
        ":",
        "result",
        "unread",
        r":contentReference\[oaicite:\d{1,4}\]",
        _NOTHING,
        r"(?<=oaicite:)\d{1,4}",
    ),
    Form(
        "hashes",
        "RAGFlow's older versions",
        "##0$$",
        "#",
        "index",
        "error",
        r"##\d{1,4}\$\$",
        _NOTHING,
        r"\d{1,4}",
    ),
    Form(
        "superscript element",
        "prompts for web pages",
        "<sup>1</sup>",
        "<",
        "number",
        "unread",
        rf"{NO_POWER}<sup>(?:<a[ ][^<>\n]{{0,200}}>)?\s?[\[(]?\^?C?\d{{1,3}}"
        r"(?:\s?[,;]\s?C?\d{1,3}){0,9}[\])]?\s?(?:</a>)?</sup>",
        _NOTHING,
        r"(?<=[>\[(,;\s^C])\d{1,3}(?=[<\]),;\s])",
    ),
    Form(
        "superscript",
        "prompts for web pages",
        "¹",
        SUPERSCRIPT_DIGITS,
        "number",
        "unread",
        rf"{NO_POWER}{_SUPERSCRIPT}(?:[,\u02d2 ]{_SUPERSCRIPT}){{0,9}}(?![^\W_])",
        _NOTHING,
        _SUPERSCRIPT,
    ),
    Form(
        "numbered element",
        "prompts with tags",
        "<ref:1>",
        "<",
        "number",
        "unread",
        rf"(?i:<\|?{ELEMENT}[:_ -]?\d{{1,3}}\|?/?>)",
        _NOTHING,
        r"\d{1,3}",
    ),
    Form(
        "grounded span",
        "Cohere's Command R by its template",
        "<co: 0>",
        "<",
        "index",
        "unread",
        r"<co:[ ]?\d{1,3}(?:,[ ]?\d{1,3}){0,20}>",
        _NOTHING,
        r"\d{1,3}",
        opens=True,
    ),
    Form(
        "grounded end",
        "Cohere's Command R7B and A by their templates",
        "</co: 0:[0,1]>",
        "<",
        "index",
        "unread",
        r"</co:[ ]?\d{1,3}:\[\d{1,3}(?:,[ ]?\d{1,3}){0,20}\](?:,\d{1,3}:\[[\d, ]{1,60}\]){0,9}>",
        _NOTHING,
        r"(?<=[\[,])[ ]?\d{1,3}(?=[,\]])",
    ),
    Form(
        "anchor",
        "HTML with links to sources",
        '<a href="https://x.org">[1]</a>',
        "<",
        "link",
        "unread",
        r"<a\s[^<>\n]{0,40}href=\"[^\"<>\n]{1,300}\"[^<>\n]{0,60}>\s?\[?\d{1,3}\]?\s?</a>",
        r"href=\"([^\"]{1,300})",
        r"(?<=>)\s?\[?(\d{1,3})",
    ),
    Form(
        "empty element",
        "prompts with tags",
        '<inref id="a1b2"/>',
        "<",
        "id",
        "unread",
        rf"(?i:<{ELEMENT}\s[^<>\n]{{1,160}}(?:/>|>\s?</{ELEMENT}>))",
        rf"{_ATTRIBUTE}([^\"'<>/]{{1,100}})",
        rf"{_ATTRIBUTE}(\d{{1,3}})(?![\w-])",
    ),
    Form(
        "element around words",
        "Claude, prompts with tags",
        '<cite index="0-1">',
        "<",
        "id",
        "unread",
        rf"(?i:<{ELEMENT}\s[^<>\n]{{1,160}}>)",
        rf"{_ATTRIBUTE}([^\"'<>/]{{1,100}})",
        rf"{_ATTRIBUTE}(\d{{1,3}})(?![\w-])",
        opens=True,
    ),
    Form(
        "element around a name",
        "prompts with tags",
        "<cite>plans.md</cite>",
        "<",
        "id",
        "unread",
        rf"(?i:<{ELEMENT}>\s?(?:[^<>\s]{{1,100}}|C?\d{{1,3}}(?:,[ ]?C?\d{{1,3}}){{1,20}})"
        rf"\s?</{ELEMENT}>)",
        r">\s?([^<>\s]{1,100})",
        r"(?<=[>,\s])C?(\d{1,3})(?=\s?[<,])",
    ),
    Form(
        "macro",
        "LaTeX",
        r"\cite{handbook}",
        "\\",
        "id",
        "unread",
        r"\\(?:foot)?cite[pt]?\{[^{}\n]{1,100}\}",
        r"[{,]\s?([^{},\n]{1,100})",
    ),
    Form(
        "address",
        "Markdown, where it is a passage's source",
        "[plans](https://x.org)",
        "(",
        "link",
        "text",
        rf"(?:(?<=\])|(?=\(https?:)){_TARGET}",
        _ADDRESS,
    ),
    Form(
        "tag in round brackets",
        "prompts for such",
        "(C1, C2)",
        "(",
        "number",
        "error",
        rf"(?i:\((?=(?:see[ ])?C\d|{CALLED}){_NUMBERS}\))",
        INSIDE,
        LISTED,
    ),
    Form(
        "source in brackets",
        "prompts that name files",
        "(Source: plans.md)",
        "(",
        "file",
        "unread",
        rf"\((?i:(?:see[ ])?{WORD}:[ ]?)[^()\[\]\n]{{1,120}}\)",
        INSIDE,
    ),
    Form(
        "file in brackets",
        "prompts that name files",
        "(plans.md)",
        "(",
        "file",
        "text",
        rf"\((?:(?i:{CALLED})[^()\[\]\n]{{1,120}}|{_FILE}{LOCATOR}?"
        rf"|[^()\[\]\n,;]{{1,100}}\.[a-z]{{2,5}}{LOCATOR}?)\)",
        INSIDE,
    ),
    Form(
        "source line",
        "prompts that name files",
        "Source: plans.md",
        "S",
        "file",
        "unread",
        rf"(?<![^\W_])S(?:ources?|OURCES?):[ ]{_FILE}(?:,[ ]{_FILE}){{0,9}}(?![^\W_])",
        rf"[ ]({_FILE})",
    ),
    Form(
        "numbered source",
        "prompts that number their sources",
        "Source 2",
        "S",
        "number",
        "text",
        r"(?<![^\W_])S(?:ources?|OURCES?)[ ]\d{1,2}(?:(?:,[ ]|[ ]and[ ]|,[ ]and[ ])\d{1,2}){0,9}"
        r"(?![\w%]|[.,:]\d|[ ]%)",
        _NOTHING,
        r"\d{1,2}",
    ),
    Form(
        "unknown",
        "nobody whose list is known",
        "[web:3]",
        "[【({^<⟦〔〖⟨❲" + PRIVATE,
        "id",
        "unread",
        _UNKNOWN,
        INSIDE,
    ),
    Form(
        "note",
        "nobody whose list is known: at a clause's end",
        "(2)",
        "(⁽†‡" + CIRCLED,
        "id",
        "unread",
        _NOTE,
        within=True,
    ),
    Form(
        "name",
        "prompts that give passages ids",
        "[pricing-faq]",
        "[【",
        "id",
        "text",
        rf"[\[【][^\[\]【】\n]{{1,120}}[\]】]{_UNLINKED}",
        INSIDE,
    ),
)
