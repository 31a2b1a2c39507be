"""How a sentence names the sources of an answer, as pieces of patterns over lower-case text.

A space in a piece stands for white space: put it in the pattern before it is compiled.
"""

from __future__ import annotations

_NOUN = (
    r"(?:passages?|documents?|documentation|docs|context|sources?|text|materials?|excerpts?|"
    r"articles?|snippets?|search results?|knowledge base|content|information)"
)
# Of these the most are nothing but sources; the rest are goods, matter and light sources as well.
_PLAIN_NOUN = (
    r"(?:passages?|documents?|documentation|docs|context|text|excerpts?|snippets?|search results?|"
    r"knowledge base|information)"
)
GIVEN = (
    r"(?:given|provided|retrieved|available|supplied|above|following|attached|uploaded|shared|"
    r"referenced|current|listed|relevant|included|quoted|cited|accessible)"
)
# An article that was provided is a text; one that is available or included may be for sale.
_GIVEN_TO_READ = (
    r"(?:given|provided|retrieved|above|uploaded|shared|referenced|quoted|cited|listed|attached)"
)
# What makes another thing of the noun before it: "the text messages", "the source code".
_NO_OTHER = (
    r"(?! (?:messages?|fields?|boxes|box|files?|types?|editors?|menus?|managers?|windows?|code|"
    r"scanners?|readers?|feeders?|viewers?|cameras?|creators?|owners?|holders?|bags?|covers?|"
    r"folders?|trays?|voltage|safety|library|libraries|servers?)\b)"
)
_THE = r"(?:the|these|this|those|any|all|our|your|my)"
_SUCH = rf"(?:{_THE} (?:{GIVEN} ){{0,2}}|(?:{GIVEN} ){{1,2}})(?:[\w'-]{{2,20}} )?"
_NUMBERED = r"\b(?:passages?|documents?|sources?|chunks?|excerpts?) \[?c?\d{1,4}\b\]?|\bpassages\b"

# "the context", "the provided documents", "your uploaded product documents", "given passages",
# "source 2"; "the materials" and "the article" too, whatever they are.
SOURCE = rf"\b(?:{_SUCH}{_NOUN}{_NO_OTHER}\b|{_NUMBERED})"
# The same without what may be a thing: "the materials" are not, "the provided materials" are.
PLAIN_SOURCE = (
    rf"\b(?:(?:{_SUCH}{_PLAIN_NOUN}|(?:{_THE} )?(?:{_GIVEN_TO_READ} ){{1,2}}(?:[\w'-]{{2,20}} )?"
    rf"{_NOUN}|{_THE} sources){_NO_OTHER}\b"
    rf"|{_THE} (?:articles?|materials?|content) (?:you|i|we|provided|given|above)\b"
    rf"|{_NUMBERED})"
)
