// @ts-check
/** What stands below an answer: banners, headline, labels, passages, and what can be done. */
import { bannersOf } from "./banners.js";
import { detailsNode } from "./details.js";
import { button, el, sign } from "./dom.js";
import { asJson, asMarkdown, copy, save } from "./export.js";
import { sendFeedback } from "./feedback.js";
import { findingNode } from "./note.js";
import { openPassage } from "./side.js";
import { headlineOf, passagesOf, resultOf, shownText } from "./turn.js";

/** @typedef {import("./streamguard.js").Finding} Finding */
/** @typedef {import("./turn.js").Turn} Turn */

const ENDED = new Map([
  ["upstream_error", "The answer broke off"],
  ["client_disconnect", "The answer was stopped"],
  ["consumer_stopped", "The answer was stopped"],
  ["cancelled", "The answer was stopped"],
  ["limit", "The answer reached the server's limit"],
]);

/** Return everything that stands below a finished answer. @param {Turn} turn @returns {Node[]} */
export function conclusion(turn) {
  const banners = bannersOf(turn).map(bannerNode);
  const parts = [
    verdictNode(turn), aboutTheWhole(turn), sourcesNode(turn), actionsNode(turn), detailsNode(turn),
  ];
  if (turn.annotation?.state === "pending") {
    const words = "A slower reader is still at work; this may change.";
    parts.unshift(el("p", { class: "pending", role: "status" }, words));
  }
  return [...banners, ...parts.filter((part) => part !== null)];
}

/** What a screen reader hears at the end. @param {Turn} turn */
export function spokenConclusion(turn) {
  const { status, words } = headlineOf(turn);
  const banners = bannersOf(turn).map((it) => it.text);
  return [status, words, ...banners].filter(Boolean).join(". ");
}

/** @param {{colour: string, text: string}} banner */
function bannerNode({ colour, text }) {
  const look = colour === "yellow" ? "yellow" : "orange";
  const shape = look === "yellow" ? "▲" : "◆"; // two shapes: never colour alone
  const words = el("span", {}, text);
  return el("p", { class: `banner ${look}`, role: "note" }, sign(shape, "shape"), words);
}

/** @param {Turn} turn */
function verdictNode(turn) {
  const { icon, look, status, words } = headlineOf(turn);
  const headline = el("h3", { class: `headline ${look}` }, sign(icon, "shape"),
    status && el("span", { class: "status" }, status), el("span", { class: "words" }, words));
  const because = whyNot(turn) ?? reasonsOf(turn, status);
  return el("div", { class: "verdict" },
    el("div", { class: "verdict-row" }, headline, ...labels(turn)),
    because && el("p", { class: "faint" }, because));
}

/** Without a status the headline is the reason. @param {Turn} turn @param {string | null} status */
const reasonsOf = (turn, status) =>
  status && resultOf(turn).reasons.map((/** @type {any} */ it) => it.message).join(" ");

/** Why the gate declined, and the setting that did it. @param {Turn} turn */
function whyNot(turn) {
  const { declined } = turn.retrieval ?? {};
  return declined && resultOf(turn)?.refusal.extent === "whole"
    ? `The documents were not found to answer this. ${declined.message}` : null;
}

/** What stands beside the headline. @param {Turn} turn */
function labels(turn) {
  const { refusal, complete, ended } = resultOf(turn) ?? {};
  const level = turn.retrieval?.confidence_level;
  const found = [
    complete === false && (ENDED.get(ended) ?? "Incomplete"),
    refusal?.extent === "partial" && "Declines in part",
    refusal?.kind === "over_refusal" && "The passages may hold an answer",
    level && `Retrieval: ${level}`,
  ];
  const bad = new Set(found.slice(0, 1));
  return found.filter(Boolean).map((words) =>
    el("span", { class: bad.has(words) ? "label bad" : "label" }, words));
}

/** Findings that no sentence can show, unless a banner says the same. @param {Turn} turn */
function aboutTheWhole(turn) {
  const { banners = [], findings = [] } = resultOf(turn) ?? {};
  const said = new Set(banners.map((/** @type {any} */ it) => it.flag));
  const whole = findings.filter(
    (/** @type {Finding} */ it) => it.start === null && !said.has(it.flag));
  if (!whole.length) return null;
  return el("ul", { class: "findings whole", "aria-label": "About the whole answer" },
    ...whole.map((/** @type {Finding} */ finding) => findingNode(turn, finding)));
}

/** @param {Turn} turn */
function sourcesNode(turn) {
  const passages = passagesOf(turn);
  if (!passages.length) return null;
  const entries = passages.map((passage) => {
    const show = () => openPassage(turn, passage, { from: open });
    const open = button("", show, { class: "source-chip" });
    const label = el("span", { class: "tag" }, passage.label);
    open.append(label, " ", el("bdi", {}, passage.source ?? "passage"));
    return el("li", {}, open);
  });
  return el("ul", { class: "sources", "aria-label": "Retrieved passages" }, ...entries);
}

/** @param {Turn} turn */
function actionsNode(turn) {
  const answered = el("p", { class: "answered", role: "status" });
  const result = resultOf(turn);
  const refuses = result?.refusal.detected || result?.status === "REFUSE";
  const row = el("div", { class: "actions", role: "group", "aria-label": "About this answer" },
    turn.annotation && thumb(turn, "👍", "Good answer", "up", answered),
    turn.annotation && thumb(turn, "👎", "Bad answer", "down", answered),
    refusalButton(turn, Boolean(refuses), answered),
    el("span", { class: "gap" }),
    button("Copy", () => copy(shownText(turn), answered)),
    button("Save JSON", () => save(`answer-${turn.number}.json`, asJson(turn))),
    button("Save Markdown", () => save(`answer-${turn.number}.md`, asMarkdown(turn))));
  return el("div", {}, row, answered);
}

/**
 * @param {Turn} turn @param {string} face @param {string} name @param {"up" | "down"} kind
 * @param {HTMLElement} answered
 */
function thumb(turn, face, name, kind, answered) {
  const node = button(face, () => sendFeedback(turn, kind, answered, { pressed: node }),
    { class: "thumb", "aria-label": name, title: name, "aria-pressed": "false" });
  return node;
}

/** @param {Turn} turn @param {boolean} refuses @param {HTMLElement} answered */
function refusalButton(turn, refuses, answered) {
  if (!refuses) return null;
  const say = () => sendFeedback(turn, "refusal_wrong", answered, { pressed: node });
  const node = button("This refusal is wrong", say, { "aria-pressed": "false" });
  return node;
}
