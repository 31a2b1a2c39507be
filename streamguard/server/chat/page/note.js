// @ts-check
/** The note on a flagged sentence: why it is underlined, with the nearest evidence. */
import { button, byId, el, sourceNode } from "./dom.js";
import { sendFeedback } from "./feedback.js";
import { openPassage } from "./side.js";
import { inWords, messageOf, passageOf, spansOf } from "./turn.js";

/** @typedef {import("./streamguard.js").Finding} Finding */
/** @typedef {import("./turn.js").Turn} Turn */
/** A flagged sentence by its number: its elements change while the answer streams.
 * @typedef {{turn: Turn, index: number}} About */

const LINGERS_MS = 250; // for the pointer's way from the sentence to its note; guess
const GAP_PX = 16;
const MIN_BESIDE_PX = 200; // narrower it is no note but a column of words; guess

/** @type {About | null} */
let noted = null;
let isPinned = false;
/** @type {ReturnType<typeof setTimeout> | undefined} */
let timer;

/**
 * Show why a sentence is underlined. `pinned`: until it is closed, not only while pointer or focus
 * are there; `enter`: the focus moves into the note.
 * @param {About} about
 * @param {{pinned?: boolean, enter?: boolean}} [how]
 */
export function openNote(about, { pinned = false, enter = false } = {}) {
  clearTimeout(timer);
  if (noted?.turn !== about.turn || noted.index !== about.index) {
    if (isPinned && !pinned) return;
    closeNote();
    show(about);
  }
  isPinned ||= pinned;
  if (enter) byId("note").focus({ preventScroll: true });
  if (pinned) byId("note").scrollIntoView({ block: "nearest" });
}

/** Close the note unless pointer, focus or a click hold it. */
export function closeNoteSoon() {
  clearTimeout(timer);
  timer = setTimeout(() => {
    const held = [byId("note"), ...nodesOf(noted)].some((node) =>
      node.matches(":hover") || node.contains(document.activeElement));
    if (!isPinned && !held) closeNote();
  }, LINGERS_MS);
}

/** Close the note; a focus inside it goes back to the sentence. Return whether one was open. */
export function closeNote() {
  if (!noted) return false;
  const nodes = nodesOf(noted);
  const marker = markerIn(nodes);
  const note = byId("note");
  const inside = note.contains(document.activeElement);
  noted = null;
  isPinned = false;
  note.hidden = true;
  document.body.append(note); // where it was may go
  marker?.setAttribute("aria-expanded", "false");
  marker?.removeAttribute("aria-describedby");
  for (const node of nodes) node.classList.remove("current");
  if (inside && marker) focusQuietly(marker);
  return true;
}

/** Listen for what closes a note; once per page. */
export function listenForNotes() {
  const note = byId("note");
  note.addEventListener("pointerleave", closeNoteSoon);
  note.addEventListener("focusout", closeNoteSoon);
  addEventListener("resize", closeNote);
  document.addEventListener("pointerdown", ({ target }) => {
    const within = /** @type {Node} */ (target);
    if (![note, ...nodesOf(noted)].some((node) => node.contains(within))) closeNote();
  });
}

/**
 * @param {Turn} turn @param {Finding} finding
 * @param {HTMLElement} [from] where the focus goes back to from the passage
 */
export function findingNode(turn, finding, from) {
  const { nearest } = finding;
  const passage = nearest && passageOf(turn, nearest.chunk_id);
  const open = (/** @type {Event} */ event) => {
    if (!passage) return;
    closeNote();
    const origin = from ?? /** @type {HTMLElement} */ (event.currentTarget);
    openPassage(turn, passage, { from: origin, span: nearest });
  };
  const quotes = nearest?.value && !finding.message?.includes(nearest.value); // once is enough
  const name = passage && `${passage.label}: open the passage with this evidence`;
  return el("li", { class: `finding ${finding.severity}` },
    el("strong", {}, inWords(finding.flag)),
    el("p", {}, messageOf(turn, finding)),
    passage && el("p", { class: "from" }, "Nearest evidence: ",
      button(passage.label, open, { class: "chip", "aria-label": name }), " ",
      sourceNode(passage.source)),
    quotes && el("blockquote", { dir: "auto" }, nearest.value));
}

/** @param {About | null} about */
const nodesOf = (about) => (about ? spansOf(about.turn, about.index) : []);

/** @param {HTMLElement[]} nodes @returns {HTMLElement | null} */
const markerIn = (nodes) => nodes.at(-1)?.querySelector(".marker") ?? null;

/** @param {About} about */
function show(about) {
  const { turn, index } = about;
  const flag = turn.sentences[index].flag;
  const nodes = nodesOf(about);
  const marker = markerIn(nodes);
  const note = byId("note");
  if (!flag || !marker) return;
  noted = about;
  const answered = el("p", { class: "answered", role: "status" });
  const disagree = button("This was supported", () =>
    sendFeedback(turn, "was_supported", answered, { sentence: index, pressed: disagree }),
  { "aria-pressed": "false" });
  const findings = flag.findings.map((finding) => findingNode(turn, finding, marker));
  note.replaceChildren(
    el("ul", { class: "findings", id: "reasons" }, ...findings),
    el("div", { class: "note-foot" }, turn.done && disagree, button("Close", closeNote)),
    answered,
  );
  note.hidden = false;
  putBeside(note, turn, nodes);
  marker.setAttribute("aria-expanded", "true");
  marker.setAttribute("aria-describedby", "reasons");
  for (const node of nodes) node.classList.add("current");
}

/**
 * Put the note beside the answer, level with the sentence; where there is no room it stands
 * between the answer and what is said about it. It covers neither.
 * @param {HTMLElement} note @param {Turn} turn @param {HTMLElement[]} nodes
 */
function putBeside(note, turn, nodes) {
  const { article, below, answer } = turn.nodes;
  const around = answer.closest(".backing, .original");
  (around?.parentElement ?? article).insertBefore(note, around?.nextSibling ?? below);
  const frame = article.getBoundingClientRect();
  const side = byId("side");
  const edge = side.hidden ? document.documentElement.clientWidth
    : side.getBoundingClientRect().left;
  const room = edge - frame.right - 2 * GAP_PX;
  const beside = room >= MIN_BESIDE_PX;
  note.classList.toggle("beside", beside);
  if (!beside) return;
  note.style.setProperty("--room", `${room}px`);
  const top = nodes[0].getClientRects()[0].top;
  const lowest = byId("composer").getBoundingClientRect().top - note.offsetHeight - GAP_PX;
  note.style.setProperty("--top", `${Math.min(top, Math.max(GAP_PX, lowest)) - frame.top}px`);
}

/** Give the focus back without opening the note again. @param {HTMLElement} marker */
function focusQuietly(marker) {
  marker.focus();
  closeNote();
}
