"""The page's files without a browser: one module, no inline code, nothing from elsewhere."""

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from streamguard.core.reading.markers import citations_in
from streamguard.server.chat.page import files
from streamguard.text.normalise import fold

ROOT = Path(__file__).parent.parent
SCRIPTS = {path: body.decode() for path, (body, kind) in files().items() if "javascript" in kind}


def test_the_module_is_there_once_and_the_page_has_it():
    assert files()["/streamguard.js"][0] == (ROOT / "js/streamguard.js").read_bytes()
    assert not (ROOT / "streamguard/server/chat/page/streamguard.js").exists()


def test_the_page_holds_no_inline_code_and_no_address_of_another_server():
    page = files()["/"][0].decode()
    assert not re.search(r"<style|\sstyle=|\son\w+=|<script(?![^>]*\ssrc=)|javascript:", page)
    addresses = re.findall(r'(?:src|href)="([^"#]+)"', page)
    icon = [address for address in addresses if address.startswith("data:image/svg+xml,")]
    assert len(icon) == 1
    assert sorted(set(addresses) - set(icon)) == ["/app.js", "/style.css"]
    assert "url(" not in files()["/style.css"][0].decode()


@pytest.mark.parametrize("path", SCRIPTS)
def test_no_script_parses_markup_or_code(path):
    forbidden = (
        r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|DOMParser|\beval\(|Function\("
    )
    assert not re.search(forbidden, SCRIPTS[path])


@pytest.mark.parametrize("path", SCRIPTS)
def test_every_import_is_a_file_of_the_page(path):
    for name in re.findall(
        r'^\} from "([^"]+)"|^import .* from "([^"]+)"', SCRIPTS[path], re.MULTILINE
    ):
        imported = name[0] or name[1]
        assert imported.startswith("./")
        assert imported[1:] in SCRIPTS


INSIDE = (
    "C1", "c2", "1", "7", "99", "100", "2024", "0", "C0", "C1, C3", "1; 2", "C1-C2", "1–2", "C1, 2",
    "1, 100", " C4 ", "C1,", "see C1", "handbook#2", " handbook#2 ", "C1234567", "", "C1]", "x",
    "Source 2", "source: C2", "Documents 1, 2", "Doc 1, Doc 2", "^2", "C2, p. 3", "C1 and C3",
    "C1/C3", "1/2", "C2 & 4", "see 7", "section 4", "passages vary", "C1 p. 100",
    "doc1", "doc1, doc2", "citation:3", "^2^", "ID:0", "id: 2", "ref_2",
)  # fmt: skip
AROUND = (
    "Fine [{}].", "【{}】", "({})", "［{}］", "[{}](https://docs.example/a)", "[{}](a b)", "[[{}]]",
    "`[{}]`", "` [{}]", "[{}][{}]", "[{}\n]", "[{}] (C5)", "a[{}]b", "[[{}]](https://x.org/a_(b).c)",
    "word² [{}]", "【4:1†{}】",
)  # fmt: skip
OTHERS = (
    "less<sup>1</sup>", "less<sup>1, 3</sup>.", "10<sup>6</sup>", "m<sup>2</sup>", "##0$$", "##x$$",
    "So.\ue200cite\ue202turn0file0\ue202turn1search3\ue201", "\ue200entity\ue202x\ue201", "less³.",
    "10³", "m²", "per mile²", "less¹²", "[ID:0, 2]", "word [ID:x]", "【3:2†a b.pdf】",
    "By Source 2, or Sources 1 and 3.", "by source 2", "Source 2.5", "Resource 2",
)  # fmt: skip
NAMED = """
import { citationsIn } from "./streamguard.js";
import { readFileSync } from "node:fs";
const texts = JSON.parse(readFileSync(0, "utf8"));
const named = texts.map((text) => citationsIn(text, new Set(["handbook#2"])).map((it) => it.label));
console.log(JSON.stringify(named));
"""


@pytest.mark.skipif(shutil.which("node") is None, reason="no node")
def test_the_page_and_the_guard_take_the_same_tags_for_citations():
    texts = [around.replace("{}", inside) for around in AROUND for inside in INSIDE]
    texts += OTHERS
    done = subprocess.run(
        ["node", "--input-type=module", "--eval", NAMED],
        cwd=ROOT / "js",
        input=json.dumps(texts),
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    labels = {"handbook#2": ["handbook#2"]}
    for text, named in zip(texts, json.loads(done.stdout), strict=True):
        folded = fold(text).text
        # The page shows no mark whose passage nobody can tell.
        known = [tag.label for tag in citations_in(folded, labels) if tag.label]
        assert named == known, text


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("node") is None, reason="no node")
def test_the_module_s_own_tests_pass():
    done = subprocess.run(
        ["node", "--test", "js/"], cwd=ROOT, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stdout
