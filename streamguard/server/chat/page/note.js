// @ts-check
/** The note on a flagged sentence: why it is underlined, with the nearest evidence. */
import { button, byId, el, sourceNode } from "./dom.js";
import { sendFeedback } from "./feedback.js";
import { openPassage } from "./side.js";
import { inWords, messageOf, passageOf } from "./turn.js";

/** @typedef {import("./streamguard.js").Finding} Finding */
/** @typedef {import("./streamguard.js").Flagged} Flagged */
/** @typedef {import("./turn.js").Turn} Turn */
/** @typedef {{turn: Turn, index: number, flag: Flagged, node: HTMLElement,
 *   marker: HTMLElement}} About */

const LINGERS_MS = 250; // for the pointer's way from the sentence to its note; guess
const GAP_PX = 8;

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
  if (noted?.node !== about.node) {
    if (isPinned && !pinned && noted?.node.isConnected) return;
    closeNote();
    show(about);
  }
  isPinned ||= pinned;
  if (enter) byId("note").focus();
}

/** Close the note unless pointer, focus or a click hold it. */
export function closeNoteSoon() {
  clearTimeout(timer);
  timer = setTimeout(() => {
    const held = [byId("note"), noted?.node].some((node) =>
      node?.matches(":hover") || node?.contains(document.activeElement));
    if (!isPinned && !held) closeNote();
  }, LINGERS_MS);
}

/** Close the note; a focus inside it goes back to the sentence. Return whether one was open. */
export function closeNote() {
  if (!noted) return false;
  const { node, marker } = noted;
  const note = byId("note");
  const inside = note.contains(document.activeElement);
  noted = null;
  isPinned = false;
  note.hidden = true;
  marker.setAttribute("aria-expanded", "false");
  marker.removeAttribute("aria-describedby");
  node.classList.remove("current");
  if (inside) focusQuietly(marker);
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
    if (!note.contains(within) && !noted?.node.contains(within)) closeNote();
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
  const name = passage && `${passage.label}: open the passage with this evidence`;
  return el("li", { class: `finding ${finding.severity}` },
    el("strong", {}, inWords(finding.flag)),
    el("p", {}, messageOf(turn, finding)),
    passage && el("p", { class: "from" }, "Nearest evidence: ",
      button(passage.label, open, { class: "chip", "aria-label": name }), " ",
      sourceNode(passage.source)),
    nearest?.value && el("blockquote", { dir: "auto" }, nearest.value));
}

/** @param {About} about */
function show(about) {
  const { turn, index, flag, node, marker } = about;
  const note = byId("note");
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
  marker.setAttribute("aria-expanded", "true");
  marker.setAttribute("aria-describedby", "reasons");
  node.classList.add("current");
  putNextTo(note, node);
}

/** @param {HTMLElement} note @param {HTMLElement} node */
function putNextTo(note, node) {
  const lines = node.getClientRects();
  const [first, last] = [lines[0], lines[lines.length - 1]];
  const room = document.documentElement.clientWidth - note.offsetWidth - GAP_PX;
  const left = Math.max(GAP_PX, Math.min(last.left, room));
  const below = last.bottom + GAP_PX;
  const fits = below + note.offsetHeight < byId("composer").getBoundingClientRect().top;
  const above = Math.max(GAP_PX, first.top - note.offsetHeight - GAP_PX);
  note.style.setProperty("--left", `${left + scrollX}px`);
  note.style.setProperty("--top", `${(fits ? below : above) + scrollY}px`);
}

/** Give the focus back without opening the note again. @param {HTMLElement} marker */
function focusQuietly(marker) {
  marker.focus();
  closeNote();
}
