// @ts-check
/** The chat page: a question goes out, frames come in, and people see what is supported. */
import { laterAnnotation } from "./again.js";
import {
  draw, dress, explainSearch, grow, newTurn, place, placeAll, replaceAnswer,
} from "./answer.js";
import { button, byId, el, follow, goToEnd, speak, watchScrolling } from "./dom.js";
import { hearJudge, showJudge } from "./judge.js";
import { closeNote, listenForNotes } from "./note.js";
import { closeSide, openDocuments, showPassages } from "./side.js";
import { keep, kept } from "./memory.js";
import { flaggedNow, readFrames } from "./streamguard.js";
import { asAsked, inWords, messageOf, passagesOf, resultOf, shownText } from "./turn.js";
import { conclusion, spokenConclusion } from "./verdict.js";

/** @typedef {import("./turn.js").Turn} Turn */

const WIDE_PX = 1220; // from here on the side has a place of its own; as in the style sheet
const MAX_HISTORY_CHARS = 16_000; // of them together, as the server has it
const MAX_HISTORY = 20; // messages sent along; guess: ten turns, the server has its own bound

/** @type {{documents: any[], turns: Turn[], asked: number, running: AbortController | null,
 *   session: string, left: boolean, closedSide: boolean}} */
const chat = { documents: [], turns: [], asked: 0, running: null, session: "", left: false,
  closedSide: false };

/** What each kind of frame does; kinds of a later server do nothing.
 * @type {Map<string, (turn: Turn, frame: any) => void>} */
const ON_FRAME = new Map([
  ["retrieval", onRetrieval],
  ["token", (turn, frame) => grow(turn, frame.text)],
  ["sentence", onSentence],
  ["judged", (turn, frame) => hearJudge(turn, frame)],
  ["result", onResult],
  ["error", (turn, frame) => fail(turn, frame.message)],
]);

/** @param {Turn} turn @param {any} frame */
function onRetrieval(turn, frame) {
  turn.retrieval = frame;
  explainSearch(turn);
  dress(turn);
  // What the answer rests on stands beside it, unless the reader has closed it before.
  const room = innerWidth >= WIDE_PX && !chat.closedSide;
  if (room && passagesOf(turn).length) showPassages(turn, byId("question"));
}

/** @param {Turn} turn @param {any} frame */
function onSentence(turn, frame) {
  const annotation = frame.annotation;
  if (annotation.choice !== 0) return;
  const { index, sentence } = annotation;
  const flag = flaggedNow(annotation);
  place(turn, index, sentence, flag);
  speak(turn.text.slice(sentence.start, sentence.end));
  const reasons = flag?.findings.map((it) => messageOf(turn, it) || inWords(it.flag));
  if (reasons) speak(`Underlined: ${reasons.join(" ")}`);
}

/** @param {Turn} turn @param {any} frame */
function onResult(turn, frame) {
  turn.annotation = frame.annotation;
  turn.on_refuse = frame.on_refuse;
  const result = resultOf(turn);
  if (!result) return;
  placeAll(turn);
  showJudge(turn);
  const replaces = frame.on_refuse === "replace" && result.status === "REFUSE";
  if (replaces && result.replacement && !turn.replaced) replaceAnswer(turn);
}

/** Show what the verdict is now, in place of what it was. @param {Turn} turn */
function show(turn) {
  for (const node of turn.concluded) node.remove();
  turn.concluded = turn.annotation ? conclusion(turn) : [];
  dress(turn);
  turn.nodes.below.prepend(...turn.concluded);
}

const UNHEARD = "What a slower reader says did not come; the verdict is that without it.";

/** @param {string} question */
async function ask(question) {
  const preset = byId("preset").value || undefined; // before the server has said which there are
  const body = JSON.stringify({ question, history: history(), preset, session: chat.session });
  const turn = begin(question, preset);
  const running = new AbortController();
  setRunning(running);
  goToEnd();
  try {
    await stream(turn, body, running.signal);
  } catch (error) {
    const stopped = "Stopped. The answer was not checked to its end.";
    fail(turn, running.signal.aborted ? stopped : turn.done ? UNHEARD : wordsFor(error));
  } finally {
    if (chat.running === running) setRunning(null);
    finish(turn);
  }
}

/** @param {string} question @param {string} preset */
function begin(question, preset) {
  const turn = newTurn(question, ++chat.asked, preset);
  chat.turns.push(turn);
  byId("welcome").hidden = true;
  byId("new").hidden = false;
  return turn;
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
    // Whoever asks on need not wait for what slower readers say: it comes in a further result.
    if (frame.type === "result" && turn.annotation.state === "pending") release(turn);
  }
  throw new Error("The connection ended before the answer did.");
}

/** Let the next question be asked. @param {Turn} turn */
function release(turn) {
  setRunning(null);
  finish(turn);
}

/** @param {Turn} turn */
function finish(turn) {
  turn.done = true;
  draw(turn);
  conclude(turn);
  if (turn.annotation) speak(spokenConclusion(turn));
  if (!chat.left) keep(chat);
  follow();
}

/** @param {Turn} turn */
function conclude(turn) {
  turn.nodes.article.setAttribute("aria-busy", "false");
  show(turn);
}

/** Show the conversation that was here before the page was loaded anew. */
function recall() {
  const { session, turns } = kept();
  chat.session = session || randomId();
  for (const { question, preset, text, retrieval, annotation, failed, on_refuse } of turns) {
    const turn = begin(question, preset);
    Object.assign(turn, { text, done: true, on_refuse });
    if (retrieval) onRetrieval(turn, retrieval);
    if (annotation) onResult(turn, { annotation, on_refuse });
    draw(turn); // of an answer that was not checked, too
    if (failed) fail(turn, failed);
    conclude(turn);
    if (annotation?.state === "pending") hearLater(turn); // nobody tells this page by itself
  }
}

/** @param {Turn} turn */
async function hearLater(turn) {
  const annotation = await laterAnnotation(turn);
  if (annotation) onResult(turn, { annotation, on_refuse: turn.on_refuse });
  else {
    turn.annotation.state = "complete";
    fail(turn, UNHEARD);
  }
  conclude(turn);
  keep(chat);
}

function startAnew() {
  chat.running?.abort();
  chat.turns = [];
  keep(chat);
  location.reload();
}

/** @param {Turn} turn @param {string} message */
function fail(turn, message) {
  turn.failed = message || "The answer could not be fetched.";
  const retry = button("Try again", () => {
    if (chat.running) return;
    turn.nodes.item.remove();
    chat.turns = chat.turns.filter((other) => other !== turn);
    keep(chat);
    ask(turn.question);
    byId("stop").focus();
  });
  turn.nodes.below.append(el("div", { class: "error", role: "alert" },
    el("p", {}, turn.failed), retry));
}

/** The turns so far, as messages: of a replaced answer, what was shown. */
function history() {
  const answered = chat.turns.filter((turn) => turn.annotation && shownText(turn));
  const messages = answered.flatMap((turn) => [
    { role: "user", content: whole(turn.question) },
    { role: "assistant", content: whole(shownText(turn)) },
  ]);
  let room = MAX_HISTORY_CHARS; // the server reads no more of it
  const fits = (/** @type {{content: string}} */ it) => (room -= it.content.length) >= 0;
  const from = messages.findLastIndex((it) => !fits(it)) + 1;
  return messages.slice(Math.max(from, messages.length - MAX_HISTORY));
}

/** A model may break a character in two; JSON that others read has whole ones. @param {string} text */
function whole(text) {
  return text.replace(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, "\ufffd");
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

/** Keep what runs as far as it has come: leaving the page ends it. */
function leave() {
  const failed = "The page was left before the answer ended.";
  const turns = chat.turns.map((it) => it.done ? it : { ...it, done: true, failed });
  if (chat.running) keep({ ...chat, turns });
  chat.left = true; // a reader's word that this page stops waiting for is asked for by the next
}

function toggleDocuments() {
  const opener = byId("documents");
  if (opener.getAttribute("aria-expanded") === "true") closeByHand();
  else openDocuments(chat.documents, opener);
}

/** Close the side, and leave it closed when the next passages come. */
function closeByHand() {
  chat.closedSide = true;
  closeSide();
}

function listen() {
  byId("composer").addEventListener("submit", onSubmit);
  byId("question").addEventListener("keydown", onKeyInQuestion);
  byId("stop").addEventListener("click", () => {
    chat.running?.abort();
    byId("question").focus();
  });
  addEventListener("pagehide", leave);
  addEventListener("pageshow", () => chat.left = false);
  byId("documents").addEventListener("click", toggleDocuments);
  byId("side-close").addEventListener("click", closeByHand);
  byId("theme").addEventListener("click", switchTheme);
  byId("new").addEventListener("click", startAnew);
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && !closeNote()) closeByHand();
  });
  listenForNotes();
  watchScrolling();
}

/** @param {any} config */
function furnish({ title, model, presets, preset, documents, questions, show_documents }) {
  chat.documents = documents;
  if (show_documents && innerWidth >= WIDE_PX) openDocuments(documents, byId("documents"), false);
  document.title = title;
  byId("title").textContent = title;
  byId("model").textContent = model;
  byId("preset").replaceChildren(...presets.map((/** @type {string} */ name) =>
    el("option", { value: name, selected: name === preset }, name)));
  byId("questions").replaceChildren(...questions.map((/** @type {string} */ question) => {
    const [words, scripted] = asAsked(question);
    const node = button(words, () => chat.running || ask(question));
    if (scripted) node.append(" ", el("span", { class: "purpose" }, "answered wrongly on purpose"));
    return el("li", {}, node);
  }));
}

function randomId() {
  // Not randomUUID: it is missing where the page came over plain HTTP from another machine.
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

listen();
recall();
try {
  furnish(await (await fetch("/api/config")).json());
} catch {
  byId("welcome").after(el("p", { class: "error", role: "alert" },
    "The server cannot be reached. Reload the page to try again."));
}
