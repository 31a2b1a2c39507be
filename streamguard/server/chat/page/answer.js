// @ts-check
/** The answer as it streams: text, sentences as they settle, citations, and the bubble's look. */
import { button, byId, el, sign } from "./dom.js";
import { closeNote, closeNoteSoon, openNote } from "./note.js";
import { openPassage } from "./side.js";
import { citationsIn, flagged, rangesIn } from "./streamguard.js";
import { inWords, passageOf, passagesOf, resultOf } from "./turn.js";

/** @typedef {import("./streamguard.js").Flagged} Flagged */
/** @typedef {import("./streamguard.js").Sentence} Sentence */
/** @typedef {import("./turn.js").Passage} Passage */
/** @typedef {import("./turn.js").Turn} Turn */

/** Put a new turn on the page. @param {string} question @param {number} number @returns {Turn} */
export function newTurn(question, number) {
  const tail = document.createTextNode("");
  const badge = el("p", { class: "badge", hidden: true });
  const answer = el("div", { class: "text", dir: "auto" });
  answer.append(tail);
  const bubble = el("div", { class: "bubble" }, badge, answer);
  const below = el("div", { class: "below" });
  const heading = el("h2", { class: "question", id: `question-${number}`, dir: "auto" }, question);
  const about = { class: "answer", "aria-labelledby": heading.id, "aria-busy": "true" };
  const article = el("article", about, el("div", { class: "backing" }, bubble), below);
  const item = el("li", { class: "turn" }, heading, article);
  byId("turns").append(item);
  return {
    number, question, preset: byId("preset").value, text: "", retrieval: null, annotation: null,
    replaced: false, done: false, settled: 0, tail, sentences: [],
    nodes: { item, article, bubble, badge, answer, below }, concluded: [],
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
  turn.tail.appendData(text);
}

/** Give the bubble its look; the badge says the same in words. @param {Turn} turn */
export function dress(turn) {
  const { bubble, badge } = turn.nodes;
  const level = turn.retrieval?.confidence_level;
  const declines = turn.replaced || resultOf(turn)?.refusal.extent === "whole";
  // Below the lowest level a refusal is expected: only an answer that is there is marked.
  const low = !declines && (level === "low" || (level === "insufficient" && turn.done));
  bubble.classList.toggle("refusal", declines);
  bubble.classList.toggle("low", low);
  badge.hidden = !declines && !low;
  if (low) {
    badge.replaceChildren(sign("ℹ️"), " Low confidence: the documents cover this only in part");
  } else if (declines) {
    const words = turn.replaced ? "Withheld: the documents do not support the answer" : "Declined";
    badge.replaceChildren(sign("⚠️"), ` ${words}`);
  }
}

/**
 * Show sentence number `index` in its place and with its flag; the same again changes nothing.
 *
 * A sentence that does not follow the ones before it is left to the result.
 * @param {Turn} turn @param {number} index @param {Sentence} sentence @param {Flagged | null} flag
 */
export function place(turn, index, sentence, flag) {
  const { start, end } = sentence;
  const key = JSON.stringify([start, end, flag]);
  const known = turn.sentences[index];
  if (known?.key === key) return;
  const next = index === turn.sentences.length;
  if (!known && (!next || start < turn.settled || end > turn.text.length)) return;
  const node = sentenceNode(turn, index, sentence, flag);
  if (known) {
    exchange(known.node, node);
  } else {
    turn.tail.before(turn.text.slice(turn.settled, start), node);
    turn.tail.data = turn.text.slice(end);
    turn.settled = end;
  }
  turn.sentences[index] = { start, end, key, node };
}

/** Show every sentence as the result has it. @param {Turn} turn */
export function placeAll(turn) {
  const result = resultOf(turn);
  const flags = new Map(flagged(result).map((flag) => [flag.index, flag]));
  const moved = turn.sentences.some(({ start, end }, index) =>
    start !== result.sentences[index]?.start || end !== result.sentences[index]?.end);
  if (moved) {
    turn.tail.data = turn.text;
    turn.nodes.answer.replaceChildren(turn.tail);
    Object.assign(turn, { sentences: [], settled: 0 });
  }
  for (const [index, sentence] of result.sentences.entries()) {
    place(turn, index, sentence, flags.get(index) ?? null);
  }
  emphasise(turn, [...flags.values()]);
}

/** Show the standard refusal, and the original behind a disclosure. @param {Turn} turn */
export function replaceAnswer(turn) {
  const { bubble, answer, article, below } = turn.nodes;
  turn.replaced = true;
  bubble.append(el("div", { class: "text" }, resultOf(turn).replacement));
  const summary = el("summary", {}, "Show the original answer");
  article.insertBefore(el("details", { class: "original" }, summary, answer), below);
}

/** @param {HTMLElement} old @param {HTMLElement} node */
function exchange(old, node) {
  const focused = old.contains(document.activeElement);
  old.replaceWith(node);
  const marker = node.querySelector(".marker");
  if (focused && marker instanceof HTMLElement) marker.focus();
}

/**
 * @param {Turn} turn @param {number} index @param {Sentence} sentence @param {Flagged | null} flag
 */
function sentenceNode(turn, index, sentence, flag) {
  const text = turn.text.slice(sentence.start, sentence.end);
  const parts = withCitations(turn, text, sentence);
  if (!flag) return el("span", { class: "sentence" }, ...parts);
  const reasons = [...new Set(flag.findings.map((finding) => inWords(finding.flag)))].join("; ");
  const kind = flag.severity === "warning" ? "Warning" : "Hint";
  // Its sign is drawn by the style sheet: the node's text stays the answer's own.
  const marker = el("button", {
    type: "button", class: "marker", "aria-expanded": "false", "aria-controls": "note",
    "aria-label": `${kind} on this sentence: ${reasons}`,
  });
  const look = `sentence flagged ${flag.severity}`;
  const node = el("span", { class: look }, ...withMarker(parts, marker));
  const about = { turn, index, flag, node, marker };
  node.addEventListener("pointerenter", (event) => {
    if (event.pointerType === "mouse") openNote(about);
  });
  node.addEventListener("pointerleave", closeNoteSoon);
  marker.addEventListener("focus", () => openNote(about));
  marker.addEventListener("blur", closeNoteSoon);
  node.addEventListener("click", ({ target }) => {
    if (target instanceof Element && target.closest(".chip")) return;
    openNote(about, { pinned: true, enter: target === marker });
  });
  return node;
}

/**
 * Put the marker at the end, on the line of the last word.
 * @param {(string | HTMLElement)[]} parts of which the last is a text @param {HTMLElement} marker
 */
function withMarker(parts, marker) {
  const text = String(parts.at(-1));
  const cited = parts.at(-2);
  if (!text && cited) return [...parts.slice(0, -2), together(cited, marker)];
  const word = /\S{1,20}$/.exec(text)?.[0] ?? ""; // a longer one must be free to break
  const rest = text.slice(0, text.length - word.length);
  return [...parts.slice(0, -1), rest, together(word, marker)];
}

/** Parts that no line end comes between. @param {(string | HTMLElement)[]} parts */
const together = (...parts) => el("span", { class: "together" }, ...parts);

/**
 * Return the text of a sentence with a chip for each citation; the last part is a text.
 * @param {Turn} turn @param {string} text @param {Sentence} sentence
 */
function withCitations(turn, text, sentence) {
  const ids = new Set(passagesOf(turn).map((passage) => passage.id));
  /** @type {(string | HTMLElement)[]} */
  const parts = [];
  let from = 0;
  for (const { start, end, label } of citationsIn(text, ids)) {
    const passage = passageOf(turn, label);
    if (!passage) continue;
    const [stop] = /^[.,;:!?)]{0,3}/.exec(text.slice(end, end + 3)) ?? [""];
    const node = chip(turn, passage, text.slice(start, end), sentence);
    parts.push(text.slice(from, start), together(node, stop));
    from = end + stop.length;
  }
  return [...parts, text.slice(from)];
}

/** @param {Turn} turn @param {Passage} passage @param {string} words @param {Sentence} sentence */
function chip(turn, passage, words, { evidence }) {
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

/**
 * Mark the very words of warnings, where the browser can.
 * @param {Turn} turn @param {Flagged[]} all
 */
function emphasise(turn, all) {
  if (!globalThis.Highlight || !CSS.highlights) return;
  const spans = all.flatMap((sentence) => sentence.findings.flatMap(({ severity, start, end }) => {
    const part = start !== null && end !== null && end - start < sentence.end - sentence.start;
    return part && severity === "warning" ? [{ start, end }] : [];
  }));
  const values = CSS.highlights.get("value") ?? new Highlight();
  CSS.highlights.set("value", values);
  for (const range of rangesIn(turn.nodes.answer, spans)) {
    if (range) values.add(range);
  }
}
