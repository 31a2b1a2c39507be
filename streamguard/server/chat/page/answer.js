// @ts-check
/** The answer as it streams: Markdown, sentences as they settle, citations, the bubble's look. */
import { button, byId, el } from "./dom.js";
import { icon } from "./icons.js";
import { closeNote, closeNoteSoon, openNote } from "./note.js";
import { blocksOf, elementOf, spanOf } from "./render.js";
import { openPassage } from "./side.js";
import { citationsIn, flagged } from "./streamguard.js";
import { asAsked, declines, inWords, passageOf, passagesOf, resultOf, spansOf } from "./turn.js";

const DRAWING_SHARE = 0.1; // of the time, while an answer streams: a long one is parsed each time

/** @typedef {import("./streamguard.js").Flagged} Flagged */
/** @typedef {import("./streamguard.js").Sentence} Sentence */
/** @typedef {import("./turn.js").Passage} Passage */
/** @typedef {import("./turn.js").Turn} Turn */

/** Put a new turn on the page.
 * @param {string} question @param {number} number @param {string} preset @returns {Turn} */
export function newTurn(question, number, preset) {
  const badge = el("p", { class: "badge", hidden: true });
  const answer = el("div", { class: "text prose", dir: "auto" });
  const bubble = el("div", { class: "bubble" }, badge, answer);
  const judge = el("div", { class: "judge", "aria-live": "polite" });
  const below = el("div", { class: "below" });
  const [words, scripted] = asAsked(question);
  const heading = el("h2", { class: "question", id: `question-${number}`, dir: "auto" }, words);
  if (scripted) heading.append(" ", el("span", { class: "purpose" }, "answered wrongly on purpose"));
  const about = { class: "answer", "aria-labelledby": heading.id, "aria-busy": "true" };
  const article = el("article", about, el("div", { class: "backing" }, bubble), judge, below);
  const item = el("li", { class: "turn" }, heading, article);
  byId("turns").append(item);
  return {
    number, question, preset, text: "", retrieval: null, annotation: null,
    replaced: false, done: false, failed: null, sentences: [], keys: [], judged: [], drawing: null,
    nodes: { item, article, bubble, badge, answer, judge, below }, concluded: [],
  };
}

/** Say what a follow-up question was searched for. @param {Turn} turn */
export function explainSearch(turn) {
  const words = turn.retrieval.searched_for;
  if (!words) return;
  turn.nodes.article.prepend(el("p", { class: "faint searched" },
    "Read as a follow-up. Searched for: ", el("q", { dir: "auto" }, words)));
}

/** Take one more piece of the answer. @param {Turn} turn @param {string} text */
export function grow(turn, text) {
  turn.text += text;
  drawSoon(turn);
}

/** Give the bubble its look; the badge says the same in words. @param {Turn} turn */
export function dress(turn) {
  const { bubble, badge } = turn.nodes;
  const level = turn.retrieval?.confidence_level;
  const refuses = declines(turn);
  // Below the lowest level a refusal is expected: only an answer that is there is marked.
  const low = !refuses && (level === "low" || (level === "insufficient" && turn.done));
  bubble.classList.toggle("refusal", refuses);
  bubble.classList.toggle("low", low);
  badge.hidden = !refuses && !low;
  bubble.hidden = turn.done && !turn.text;
  if (low) {
    const words = level === "low" ? "The documents cover this only in part" : "No passage fits this question";
    badge.replaceChildren(icon("info"), ` ${words}`);
  } else if (refuses) {
    const words = turn.replaced ? "Withheld: the documents do not support the answer" : "Declined";
    badge.replaceChildren(icon("alert"), ` ${words}`);
  }
}

/**
 * Show sentence number `index` with its flag; the same again changes nothing.
 *
 * A sentence that does not follow the ones before it is left to the result.
 * @param {Turn} turn @param {number} index @param {Sentence} sentence @param {Flagged | null} flag
 */
export function place(turn, index, sentence, flag) {
  const before = turn.sentences[index - 1]?.end ?? 0;
  if (index > turn.sentences.length || sentence.start < before) return;
  turn.sentences[index] = { ...sentence, flag };
  drawSoon(turn);
}

/** Show every sentence as the result has it. @param {Turn} turn */
export function placeAll(turn) {
  const result = resultOf(turn);
  const flags = new Map(flagged(result).map((flag) => [flag.index, flag]));
  turn.sentences = result.sentences.map((/** @type {Sentence} */ sentence,
    /** @type {number} */ index) => ({ ...sentence, flag: flags.get(index) ?? null }));
  draw(turn);
}

/** Show the standard refusal, and the original behind a disclosure. @param {Turn} turn */
export function replaceAnswer(turn) {
  const { bubble, answer, article, below } = turn.nodes;
  turn.replaced = true;
  bubble.append(el("div", { class: "text" }, resultOf(turn).replacement));
  const summary = el("summary", {}, "Show the original answer");
  article.insertBefore(el("details", { class: "original" }, summary, answer), turn.nodes.judge);
}

/** Draw what came, at once where it was long ago. @param {Turn} turn */
function drawSoon(turn) {
  if (turn.drawing !== null) return;
  turn.drawing = setTimeout(() => draw(turn), turn.pause ?? 0);
}

/** Draw the answer; parts that are as they were stay. @param {Turn} turn */
export function draw(turn) {
  clearTimeout(turn.drawing ?? undefined);
  turn.drawing = null;
  const began = performance.now();
  const { answer } = turn.nodes;
  const marks = marksOf(turn);
  const trees = blocksOf(turn.text);
  const keys = trees.map((tree) => keyOf(turn, tree));
  const held = document.activeElement?.closest("[data-sentence]");
  const focused = held && answer.contains(held) ? held.getAttribute("data-sentence") : null;
  const known = [...answer.children];
  for (const [index, tree] of trees.entries()) {
    if (keys[index] === turn.keys[index]) continue;
    const put = (/** @type {HTMLElement} */ parent, /** @type {string} */ shown,
      /** @type {number} */ start, /** @type {number} */ end) =>
      putMarked(turn, marks, parent, { shown, start, end });
    const node = elementOf(tree, turn.text, put);
    if (known[index]) known[index].replaceWith(node);
    else answer.append(node);
  }
  for (const node of known.slice(trees.length)) node.remove();
  turn.keys = keys;
  putMarkers(turn);
  if (focused !== null && document.activeElement === document.body) {
    spansOf(turn, Number(focused)).at(-1)?.querySelector("button")?.focus();
  }
  turn.pause = (performance.now() - began) / DRAWING_SHARE;
}

/** What a part of the answer looks like depends on. @param {Turn} turn @param {any} tree */
function keyOf(turn, tree) {
  const { start, end } = spanOf(tree);
  const within = turn.sentences.filter((it) => it.start < end && it.end > start);
  return JSON.stringify([tree.type, start, turn.text.slice(start, end), within]);
}

/**
 * @typedef {{start: number, end: number, label: string}} Citation
 * @typedef {{cuts: number[], citations: Citation[], values: {start: number, end: number}[]}} Marks
 */

/** Where the text is cut: at sentences, citations, and the very words of warnings.
 * @param {Turn} turn @returns {Marks} */
function marksOf(turn) {
  const ids = new Set(passagesOf(turn).map((passage) => passage.id));
  const citations = citationsIn(turn.text, ids).filter(({ label }) => passageOf(turn, label));
  const values = turn.sentences.flatMap(({ start, end, flag }) => (flag?.findings ?? []).filter(
    (it) => it.severity === "warning" && it.start !== null && it.end !== null
      && it.end - it.start < end - start));
  const spans = [...turn.sentences, ...citations, ...values];
  const cuts = [...new Set(spans.flatMap((it) => [Number(it.start), Number(it.end)]))];
  cuts.sort((one, other) => one - other);
  return { cuts, citations, values: /** @type {any} */ (values) };
}

/**
 * Put a stretch of text into `parent`, cut at its marks.
 * @param {Turn} turn @param {Marks} marks @param {HTMLElement} parent
 * @param {{shown: string, start: number, end: number}} stretch
 */
function putMarked(turn, marks, parent, { shown, start, end }) {
  const exact = shown.length === end - start;
  const inside = exact ? marks.cuts.filter((cut) => cut > start && cut < end) : [];
  const stops = [start, ...inside, end];
  for (const [at, from] of stops.slice(0, -1).entries()) {
    const upTo = stops[at + 1];
    const words = exact ? shown.slice(from - start, upTo - start) : shown;
    const index = turn.sentences.findIndex((it) => it.start <= from && from < it.end);
    const home = homeOf(turn, parent, index);
    const cited = marks.citations.find((it) => it.start === from && it.end === upTo);
    const passage = cited && passageOf(turn, cited.label);
    const value = marks.values.some((it) => it.start <= from && upTo <= it.end);
    if (passage) home.append(together(chip(turn, passage, words, turn.sentences[index])));
    else if (value) home.append(el("span", { class: "value" }, words));
    else putWords(home, words);
  }
}

/** Put words; what ends a clause stays with the citation before it.
 * @param {HTMLElement} home @param {string} words */
function putWords(home, words) {
  const last = home.lastChild;
  const cited = last instanceof Element && last.matches(".together") && last.children.length === 1;
  const [stop] = (cited && /^[.,;:!?)]{1,3}/.exec(words)) || [""];
  if (stop && last) /** @type {Element} */ (last).append(stop);
  home.append(words.slice(stop.length));
}

/** Return where a sentence's words go: a span of their own where it is flagged.
 * @param {Turn} turn @param {HTMLElement} parent @param {number} index */
function homeOf(turn, parent, index) {
  const flag = turn.sentences[index]?.flag;
  if (!flag) return parent;
  const last = parent.lastChild;
  if (last instanceof HTMLElement && last.dataset.sentence === String(index)) return last;
  const about = { turn, index };
  const span = el("span", { class: `flagged ${flag.severity}`, "data-sentence": index });
  span.addEventListener("pointerenter", (event) => {
    if (event.pointerType === "mouse") openNote(about);
  });
  span.addEventListener("pointerleave", closeNoteSoon);
  span.addEventListener("click", ({ target }) => {
    if (target instanceof Element && target.closest(".chip")) return;
    const enter = target instanceof Element && target.matches(".marker");
    openNote(about, { pinned: true, enter });
  });
  parent.append(span);
  return span;
}

/** Put the marker of each flagged sentence at its end, on the line of its last word.
 * @param {Turn} turn */
function putMarkers(turn) {
  for (const [index, { flag }] of turn.sentences.entries()) {
    if (!flag) continue;
    const spans = spansOf(turn, index);
    for (const span of spans.slice(0, -1)) span.querySelector(".marker")?.remove();
    const last = spans.at(-1);
    if (last && !last.querySelector(".marker")) endWith(last, markerOf(turn, index, flag));
  }
}

/** @param {HTMLElement} span @param {HTMLElement} marker */
function endWith(span, marker) {
  while (span.lastChild && !span.lastChild.textContent) span.lastChild.remove();
  const last = span.lastChild;
  if (last instanceof Element && last.matches(".together")) {
    last.append(marker);
  } else if (last instanceof Text) {
    const word = /\S{1,20}$/.exec(last.data)?.[0] ?? ""; // a longer one must be free to break
    last.data = last.data.slice(0, last.data.length - word.length);
    span.append(together(word, marker));
  } else {
    span.append(marker);
  }
}

/** @param {Turn} turn @param {number} index @param {Flagged} flag */
function markerOf(turn, index, flag) {
  const reasons = [...new Set(flag.findings.map((finding) => inWords(finding.flag)))].join("; ");
  const kind = flag.severity === "warning" ? "Warning" : "Hint";
  // Its sign is drawn by the style sheet: the node's text stays the answer's own.
  const marker = el("button", {
    type: "button", class: "marker", "aria-expanded": "false", "aria-controls": "note",
    "aria-label": `${kind} on this sentence: ${reasons}`,
  });
  marker.addEventListener("focus", () => openNote({ turn, index }));
  marker.addEventListener("blur", closeNoteSoon);
  return marker;
}

/** Parts that no line end comes between. @param {(string | HTMLElement)[]} parts */
const together = (...parts) => el("span", { class: "together" }, ...parts);

/** @param {Turn} turn @param {Passage} passage @param {string} words
 * @param {Sentence | undefined} sentence */
function chip(turn, passage, words, sentence) {
  const evidence = sentence?.evidence;
  const names = [passage.id, passage.label];
  const span = evidence && names.includes(evidence.chunk_id) ? evidence : null;
  const name = `${words}: open passage from ${passage.source ?? "the documents"}`;
  const open = () => {
    closeNote();
    openPassage(turn, passage, { from: node, span });
  };
  const node = button("", open, { class: "chip", "aria-label": name });
  const [, before, inner, after] = /^([[(【]?)(.*?)([\])】]?)$/s.exec(words) ?? [];
  const bracket = (/** @type {string} */ it) => it && el("span", { class: "bracket" }, it);
  node.append(bracket(before), inner, bracket(after));
  return node;
}
