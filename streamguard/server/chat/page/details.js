// @ts-check
/** The details panel: the full result as tables, and as it came. */
import { el, shown, yesOrNo } from "./dom.js";
import { explained } from "./explain.js";
import { inWords, messageOf, passageOf, resultOf } from "./turn.js";

/** @typedef {import("./streamguard.js").Finding} Finding */
/** @typedef {import("./streamguard.js").Sentence} Sentence */
/** @typedef {import("./turn.js").Turn} Turn */

/** @param {Turn} turn */
export function detailsNode(turn) {
  if (!turn.annotation) return null;
  const panel = el("details", { class: "details" }, el("summary", {}, "For developers"));
  // Filled when it is opened: the result of a long answer is longer than the answer.
  panel.addEventListener("toggle", () => {
    if (panel.childElementCount > 1) return;
    panel.append(...tables(turn), rawNode(turn));
    if (resultOf(turn)) addLookups(turn, panel);
  });
  return panel;
}

/** What was read of each sentence and where it was found; the server says it when it is asked.
 * @param {Turn} turn @param {HTMLElement} panel */
async function addLookups(turn, panel) {
  const waiting = el("p", { class: "faint", role: "status" }, "Looking up what was read …");
  panel.lastElementChild?.before(waiting);
  const rows = await explained(turn);
  const heads = ["Sentence", "Part", "Words", "What was found"];
  waiting.replaceWith(rows ? table("Read and looked up", heads, rows)
    : el("p", { class: "faint" }, "What was read could not be looked up."));
}

/** @param {Turn} turn */
function tables(turn) {
  const result = resultOf(turn);
  if (!result) return [el("p", {}, "This answer was not checked.")];
  const { reasons, findings, sentences } = result;
  return [
    table("Why", ["Rule", "Reason", "Figure", "Threshold"], reasons.map((/** @type {any} */ it) =>
      [it.rule, it.message, shown(it.value), shown(it.threshold)])),
    table("Scores", ["Score", "Value"], scoreRows(result)),
    table("Retrieval and refusal", ["What", "Value"], retrievalRows(turn)),
    table("Findings", ["Finding", "Check", "Seen", "Reason"],
      findings.map((/** @type {Finding} */ it) =>
        [inWords(it.flag), it.check, it.value ?? "–", messageOf(turn, it) || "–"])),
    table("Sentences", ["Sentence", "Claim", "Coverage", "Evidence", "Support", "Scored by", "Because"],
      sentences.map((/** @type {any} */ it) => [turn.text.slice(it.start, it.end),
        yesOrNo(it.is_claim), shown(it.coverage), evidenceOf(turn, it), shown(it.support),
        it.scored_by.join(", ") || "–", it.reasons.join(" · ") || "–"])),
    ...readersTables(turn, sentences),
  ];
}

/** What verifiers said, where any were asked. @param {Turn} turn @param {any[]} sentences */
function readersTables(turn, sentences) {
  const rows = sentences.flatMap((it) => (it.opinions ?? []).map((/** @type {any} */ said) =>
    [turn.text.slice(it.start, it.end), said.verifier, shown(said.support),
      shown(said.contradiction), said.message ?? "–"]));
  const heads = ["Sentence", "Reader", "Supported", "Contradicted", "Says"];
  return rows.length ? [table("What readers say", heads, rows)] : [];
}

/** Where a sentence's evidence is. @param {Turn} turn @param {Sentence} sentence */
function evidenceOf(turn, { evidence }) {
  if (!evidence) return "–";
  return passageOf(turn, evidence.chunk_id)?.label ?? evidence.chunk_id;
}

/** @param {any} result */
function scoreRows({ status, scores, citation_density, supported_claims, total_claims }) {
  return [
    ["Status", status ?? "none"],
    ["Claims with evidence", `${supported_claims} of ${total_claims}`],
    ["Citations per claim", shown(citation_density)],
    ["Relevance", shown(scores.relevance)],
    ["Completeness", shown(scores.completeness)],
    ["Hallucination", shown(scores.hallucination)],
    ["Drift", shown(scores.drift)],
    ["Groundedness", shown(scores.groundedness)],
    ["Doubt", shown(scores.doubt)],
    ["Similarity", shown(scores.similarity)],
  ];
}

/** Where the gate is off, level and answerability are null and not shown. @param {Turn} turn */
function retrievalRows(turn) {
  const { refusal, policy, ended, text } = resultOf(turn);
  const { confidence_level, is_answerable, raw_count, filtered_count } = turn.retrieval ?? {};
  const gate = [["Confidence", confidence_level], ["Answerable", yesOrNo(is_answerable)]];
  const declined = turn.retrieval?.declined;
  const refused = refusal.kind === "none" ? refusal.extent : `${refusal.extent} (${refusal.kind})`;
  return [
    ...(confidence_level ? gate : []),
    ["Passages that passed", `${shown(filtered_count)} of ${shown(raw_count)}`],
    ...(declined ? [["Declined by", declined.setting ?? "–"], ["Because", declined.message]] : []),
    ["Refusal", refused.replaceAll("_", " ")],
    ["Policy", policy],
    ["Ended", ended.replaceAll("_", " ")],
    ["Length", text.code_points === 1 ? "1 character" : `${text.code_points} characters`],
  ];
}

/** @param {Turn} turn */
function rawNode(turn) {
  const raw = el("pre", { tabindex: "0", role: "region", "aria-label": "Result as JSON" },
    JSON.stringify(turn.annotation, null, 2));
  return el("details", {}, el("summary", {}, "Full result as JSON"), raw);
}

/** @param {string} title @param {string[]} heads @param {string[][]} rows */
function table(title, heads, rows) {
  const cells = (/** @type {string[]} */ row) => row.map((it) => el("td", { dir: "auto" }, it));
  const body = rows.map((row) => el("tr", {}, ...cells(row)));
  const head = el("tr", {}, ...heads.map((name) => el("th", { scope: "col" }, name)));
  const whole = el("table", {}, el("caption", {}, rows.length ? title : `${title}: none`),
    rows.length > 0 && el("thead", {}, head), el("tbody", {}, ...body));
  return el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": title }, whole);
}
