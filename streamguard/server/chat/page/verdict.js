// @ts-check
/** What stands below an answer: what was found, the passages, and what can be done. */
import { detailsNode } from "./details.js";
import { button, el } from "./dom.js";
import { asJson, asMarkdown, copy, save } from "./export.js";
import { sendFeedback } from "./feedback.js";
import { icon } from "./icons.js";
import { openPassage } from "./side.js";
import {
  declines, messageOf, passageOf, passagesOf, remarksOn, resultOf, shownText, verdictOf, warningsOf,
} from "./turn.js";

/** @typedef {import("./streamguard.js").Finding} Finding */
/** @typedef {import("./turn.js").Passage} Passage */
/** @typedef {import("./turn.js").Turn} Turn */

/** Return everything that stands below a finished answer. @param {Turn} turn @returns {HTMLElement[]} */
export function conclusion(turn) {
  const parts = [
    pendingNode(turn), verdictNode(turn), nearestNode(turn), sourcesNode(turn), actionsNode(turn),
    detailsNode(turn),
  ];
  return /** @type {HTMLElement[]} */ (parts.filter((part) => part !== null));
}

/** What a screen reader hears at the end. @param {Turn} turn */
export function spokenConclusion(turn) {
  const { found, more } = warningsOf(turn);
  const told = found.map((finding) => messageOf(turn, finding));
  const said = told.length ? told : [verdictOf(turn)?.words ?? "The answer declines."];
  return [...remarksOn(turn), ...said, more && moreWords(more)].filter(Boolean).join(" ");
}

/** @param {Turn} turn */
function pendingNode(turn) {
  if (turn.annotation?.state !== "pending") return null;
  return el("p", { class: "pending", role: "status" },
    "A slower reader is still at work; this may change.");
}

/** The findings themselves, or one line in their place. @param {Turn} turn */
function verdictNode(turn) {
  const { found, more } = warningsOf(turn);
  const verdict = verdictOf(turn);
  const lines = found.map((finding) => foundNode(turn, finding));
  if (!lines.length && verdict) lines.push(line(verdict.icon, verdict.look, verdict.words));
  if (more) lines.push(line("info", "none", moreWords(more)));
  for (const words of remarksOn(turn)) lines.unshift(line("info", "warn", words));
  for (const words of otherWords(turn)) lines.push(line("info", "none", words));
  return lines.length ? el("ul", { class: "verdict", "aria-label": "What was found" }, ...lines) : null;
}

/** @param {number} more */
const moreWords = (more) =>
  `${more === 1 ? "One more is" : `${more} more are`} underlined in the answer.`;

/** @param {string} name @param {string} look @param {(Node | string)[]} words */
const line = (name, look, ...words) =>
  el("li", { class: `line ${look}` }, icon(name), el("p", { dir: "auto" }, ...words));

/** A finding with the button that opens its passage. @param {Turn} turn @param {Finding} finding */
function foundNode(turn, finding) {
  const { nearest } = finding;
  const passage = nearest && passageOf(turn, nearest.chunk_id);
  const refused = resultOf(turn).status === "REFUSE";
  const words = [messageOf(turn, finding)];
  if (!passage) return line(refused ? "stop" : "alert", refused ? "refuse" : "warn", ...words);
  const open = () => openPassage(turn, passage, { from: chip, span: nearest });
  const name = `${passage.label}: open the passage with this evidence`;
  const chip = button(passage.label, open, { class: "chip", "aria-label": name });
  return line(refused ? "stop" : "alert", refused ? "refuse" : "warn", ...words, " ", chip);
}

/** Hints about the whole answer: no sentence can show them. @param {Turn} turn @returns {string[]} */
function otherWords(turn) {
  return (resultOf(turn)?.findings ?? []).filter((/** @type {Finding} */ it) =>
    it.severity === "info" && it.start === null && it.flag !== "refusal_detected" && it.message)
    .map((/** @type {Finding} */ it) => messageOf(turn, it));
}

/** What a declined question came nearest to. @param {Turn} turn */
function nearestNode(turn) {
  const nearest = turn.retrieval?.declined?.nearest;
  if (!nearest || !declines(turn)) return null;
  const text = el("blockquote", { dir: "auto" }, beginningOf(nearest.text));
  const figure = el("figure", { class: "nearest" },
    el("figcaption", {}, "The nearest passage: ", el("bdi", {}, nearest.source ?? "no source named")),
    text);
  if (text.textContent !== nearest.text) {
    const whole = button("Show all of it", () => {
      text.textContent = nearest.text;
      whole.remove();
    });
    figure.append(whole);
  }
  return figure;
}

const MOST_OF_NEAREST = 280; // characters, some three lines; guess

/** The first sentences of a passage, an ellipsis where some are left out. @param {string} text */
function beginningOf(text) {
  if (text.length <= 1.5 * MOST_OF_NEAREST) return text;
  const cut = text.slice(0, MOST_OF_NEAREST);
  const end = Math.max(cut.lastIndexOf(". ") + 1, cut.lastIndexOf("\n"));
  return `${text.slice(0, end > MOST_OF_NEAREST / 3 ? end : MOST_OF_NEAREST).trimEnd()} …`;
}

/** Chips of the passages that the answer rests on, and one for the others. @param {Turn} turn */
function sourcesNode(turn) {
  const passages = passagesOf(turn);
  if (!passages.length) return null;
  const used = usedPassages(turn);
  const shown = passages.filter((passage) => !used.size || used.has(passage));
  const [first, ...others] = passages.filter((passage) => !shown.includes(passage));
  const chips = shown.map((passage) => sourceChip(turn, passage,
    el("span", { class: "tag" }, passage.label), " ", el("bdi", {}, nameAmong(shown, passage))));
  if (first) {
    const more = others.length ? `${others.length + 1} more passages` : "1 more passage";
    chips.push(sourceChip(turn, first, el("span", { class: "more" }, more)));
  }
  return el("ul", { class: "sources", "aria-label": "Retrieved passages" }, ...chips);
}

/** A passage's source, with its heading where others are from there. @param {Passage[]} shown @param {Passage} passage */
function nameAmong(shown, passage) {
  const source = passage.source ?? "passage";
  const isAlone = shown.every((it) => it === passage || it.source !== passage.source);
  const heading = isAlone ? "" : headingOf(passage.text);
  return heading ? `${source} · ${heading}` : source;
}

const MOST_OF_HEADING = 120; // characters of a line that is one; guess

/** The innermost heading of a passage's first line, "" without one. @param {string} text */
function headingOf(text) {
  const [first, ...others] = text.split("\n");
  const isHeading = others.length && first.length <= MOST_OF_HEADING && !/[.!?:|]$/.test(first);
  return isHeading ? first.split(" > ").at(-1) ?? "" : "";
}

/** @param {Turn} turn @param {Passage} passage @param {(Node | string)[]} words */
function sourceChip(turn, passage, ...words) {
  const show = () => openPassage(turn, passage, { from: open });
  const open = button("", show, { class: "source-chip" });
  open.append(...words);
  return el("li", {}, open);
}

/** What sentences cite or have their evidence in. @param {Turn} turn @returns {Set<Passage>} */
function usedPassages(turn) {
  const sentences = resultOf(turn)?.sentences ?? [];
  const names = sentences.flatMap((/** @type {any} */ it) =>
    [...it.cited_chunks, ...(it.is_claim && it.evidence ? [it.evidence.chunk_id] : [])]);
  const found = [...names, ...warningsOf(turn).found.map((it) => it.nearest?.chunk_id)]
    .map((name) => name && passageOf(turn, name));
  return new Set(/** @type {Passage[]} */ (found.filter(Boolean)));
}

/** @param {Turn} turn */
function actionsNode(turn) {
  const answered = el("p", { class: "answered", role: "status" });
  const row = el("div", { class: "actions", role: "group", "aria-label": "About this answer" },
    turn.annotation && thumb(turn, "up", "Good answer", answered),
    turn.annotation && thumb(turn, "down", "Bad answer", answered),
    refusalButton(turn, answered),
    el("span", { class: "gap" }),
    button("Copy", () => copy(shownText(turn), answered)),
    button("Save JSON", () => save(`answer-${turn.number}.json`, asJson(turn))),
    button("Save Markdown", () => save(`answer-${turn.number}.md`, asMarkdown(turn))));
  return el("div", {}, row, answered);
}

/**
 * @param {Turn} turn @param {"up" | "down"} kind @param {string} name @param {HTMLElement} answered
 */
function thumb(turn, kind, name, answered) {
  const node = button("", () => sendFeedback(turn, kind, answered, { pressed: node }),
    { class: "thumb", "aria-label": name, title: name, "aria-pressed": "false" });
  node.append(icon(kind));
  return node;
}

/** @param {Turn} turn @param {HTMLElement} answered */
function refusalButton(turn, answered) {
  if (!turn.annotation || !(resultOf(turn)?.refusal.detected || turn.replaced)) return null;
  const say = () => sendFeedback(turn, "refusal_wrong", answered, { pressed: node });
  const node = button("This refusal is wrong", say, { "aria-pressed": "false" });
  return node;
}
