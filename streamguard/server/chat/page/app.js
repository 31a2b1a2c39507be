// @ts-check
/** The chat page: a question goes out, frames come in, and people see what is supported. */
import {
  dress, explainSearch, grow, newTurn, place, placeAll, replaceAnswer,
} from "./answer.js";
import { button, byId, el, follow, speak } from "./dom.js";
import { closeNote, listenForNotes } from "./note.js";
import { closeSide, openDocuments } from "./side.js";
import { annotationOf, flaggedNow, readFrames } from "./streamguard.js";
import { inWords, messageOf, resultOf, shownText } from "./turn.js";
import { conclusion, spokenConclusion } from "./verdict.js";

/** @typedef {import("./turn.js").Turn} Turn */

const MAX_HISTORY = 20; // messages sent along; guess: ten turns, the server has its own bound

/** @type {{documents: any[], turns: Turn[], asked: number, running: AbortController | null,
 *   session: string}} */
const chat = { documents: [], turns: [], asked: 0, running: null, session: randomId() };

/** What each kind of frame does; kinds of a later server do nothing.
 * @type {Map<string, (turn: Turn, frame: any) => void>} */
const ON_FRAME = new Map([
  ["retrieval", onRetrieval],
  ["token", (turn, frame) => grow(turn, frame.text)],
  ["sentence", onSentence],
  ["result", onResult],
  ["error", (turn, frame) => fail(turn, frame.message)],
]);

/** @param {Turn} turn @param {any} frame */
function onRetrieval(turn, frame) {
  turn.retrieval = frame;
  explainSearch(turn);
  dress(turn);
}

/** @param {Turn} turn @param {any} frame */
function onSentence(turn, frame) {
  const annotation = annotationOf(frame);
  if (annotation?.object !== "streamguard.sentence" || annotation.choice !== 0) return;
  const { index, sentence } = annotation;
  const flag = flaggedNow(annotation);
  place(turn, index, sentence, flag);
  speak(turn.text.slice(sentence.start, sentence.end));
  const reasons = flag?.findings.map((it) => messageOf(turn, it) || inWords(it.flag));
  if (reasons) speak(`Underlined: ${reasons.join(" ")}`);
}

/** @param {Turn} turn @param {any} frame */
function onResult(turn, frame) {
  turn.annotation = annotationOf(frame);
  const result = resultOf(turn);
  if (!result) return;
  placeAll(turn);
  const replaces = frame.on_refuse === "replace" && result.status === "REFUSE";
  if (replaces && result.replacement && !turn.replaced) replaceAnswer(turn);
  // What slower readers say comes in a further result: until then this one is shown.
  if (turn.annotation.state === "pending") conclude(turn);
}

/** Show what the verdict is now, in place of what it was. @param {Turn} turn */
function conclude(turn) {
  for (const node of turn.concluded) node.remove();
  turn.concluded = turn.annotation ? conclusion(turn) : [];
  dress(turn);
  turn.nodes.below.prepend(...turn.concluded);
}

/** @param {string} question */
async function ask(question) {
  const preset = byId("preset").value;
  const body = JSON.stringify({ question, history: history(), preset, session: chat.session });
  const turn = newTurn(question, ++chat.asked);
  chat.turns.push(turn);
  byId("welcome").hidden = true;
  const running = new AbortController();
  setRunning(running);
  scrollTo({ top: document.documentElement.scrollHeight });
  try {
    await stream(turn, body, running.signal);
  } catch (error) {
    const stopped = "Stopped. The answer was not checked to its end.";
    fail(turn, running.signal.aborted ? stopped : wordsFor(error));
  } finally {
    setRunning(null);
    finish(turn);
  }
}

/** @param {Turn} turn @param {string} body @param {AbortSignal} signal */
async function stream(turn, body, signal) {
  const headers = { "Content-Type": "application/json", Accept: "text/event-stream" };
  const response = await fetch("/api/chat", { method: "POST", headers, body, signal });
  if (!response.ok) throw new Error(await refusalOf(response));
  for await (const { data } of readFrames(response)) {
    if (data === "[DONE]") return;
    const frame = JSON.parse(data);
    ON_FRAME.get(frame.type)?.(turn, frame);
    follow();
  }
  throw new Error("The connection ended before the answer did.");
}

/** @param {Turn} turn */
function finish(turn) {
  turn.done = true;
  turn.nodes.article.setAttribute("aria-busy", "false");
  conclude(turn);
  if (turn.annotation) speak(spokenConclusion(turn));
  follow();
}

/** @param {Turn} turn @param {string} message */
function fail(turn, message) {
  const retry = button("Try again", () => {
    if (chat.running) return;
    turn.nodes.item.remove();
    chat.turns = chat.turns.filter((other) => other !== turn);
    ask(turn.question);
  });
  turn.nodes.below.append(el("div", { class: "error", role: "alert" },
    el("p", {}, message || "The answer could not be fetched."), retry));
}

/** The turns so far, as messages: of a replaced answer, what was shown. */
function history() {
  const answered = chat.turns.filter((turn) => turn.annotation && shownText(turn));
  const messages = answered.flatMap((turn) => [
    { role: "user", content: turn.question },
    { role: "assistant", content: shownText(turn) },
  ]);
  return messages.slice(-MAX_HISTORY);
}

/** What a server says where it refuses a request. @param {Response} response */
async function refusalOf(response) {
  const body = await response.json().catch(() => null);
  const said = body?.error?.message ?? body?.error ?? body?.message;
  return typeof said === "string" ? said : `The server answered ${response.status}.`;
}

/** @param {unknown} error */
function wordsFor(error) {
  // What fetch says about a lost connection differs by browser, and helps nobody.
  if (error instanceof TypeError) return "The server cannot be reached.";
  return error instanceof Error ? error.message : String(error);
}

/** @param {AbortController | null} running */
function setRunning(running) {
  chat.running = running;
  byId("send").hidden = running !== null;
  byId("stop").hidden = running === null;
}

function submit() {
  const field = byId("question");
  const question = field.value.trim();
  if (!question || chat.running) return;
  field.value = "";
  ask(question);
}

/** @param {Event} event */
function onSubmit(event) {
  event.preventDefault();
  submit();
}

/** @param {KeyboardEvent} event */
function onKeyInQuestion(event) {
  // While an input method composes, Enter picks a word.
  if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
  event.preventDefault();
  submit();
}

function switchTheme() {
  const { dataset } = document.documentElement;
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  dataset.theme = (dataset.theme ?? (dark ? "dark" : "light")) === "dark" ? "light" : "dark";
}

function toggleDocuments() {
  const opener = byId("documents");
  if (opener.getAttribute("aria-expanded") === "true") closeSide();
  else openDocuments(chat.documents, opener);
}

function listen() {
  byId("composer").addEventListener("submit", onSubmit);
  byId("question").addEventListener("keydown", onKeyInQuestion);
  byId("stop").addEventListener("click", () => chat.running?.abort());
  byId("documents").addEventListener("click", toggleDocuments);
  byId("side-close").addEventListener("click", closeSide);
  byId("theme").addEventListener("click", switchTheme);
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && !closeNote()) closeSide();
  });
  listenForNotes();
}

/** @param {any} config */
function furnish({ title, model, presets, preset, documents, questions }) {
  chat.documents = documents;
  document.title = title;
  byId("title").textContent = title;
  byId("model").textContent = model;
  byId("preset").replaceChildren(...presets.map((/** @type {string} */ name) =>
    el("option", { value: name, selected: name === preset }, name)));
  byId("questions").replaceChildren(...questions.map((/** @type {string} */ question) =>
    el("li", {}, button(question, () => chat.running || ask(question)))));
}

function randomId() {
  // Not randomUUID: it is missing where the page came over plain HTTP from another machine.
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

listen();
try {
  furnish(await (await fetch("/api/config")).json());
} catch {
  byId("welcome").append(el("p", { class: "error", role: "alert" },
    "The server cannot be reached. Reload the page to try again."));
}
