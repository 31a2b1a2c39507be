// @ts-check
/** One result, with its sentences: their words where these are stored. */
import { byId, el, shown, yesOrNo } from "./chat/dom.js";
import { table } from "./charts.js";

/** Show what is kept of a result in the dialog. @param {any} kept */
export function showResult(kept) {
  const { result, findings, sentences, feedback, annotation } = kept;
  byId("result-title").replaceChildren(`Result ${result.id}`);
  byId("result-body").replaceChildren(
    el("p", {}, el("strong", { class: result.status }, result.status ?? "not checked"),
      ` · ${new Date(result.created_ms).toISOString().slice(0, 19).replace("T", " ")} UTC`),
    result.question ? el("p", {}, el("strong", {}, "Asked: "), result.question) : "",
    !result.question && result.keywords ? el("p", {}, `Asked about: ${result.keywords}`) : "",
    facts(result),
    el("h3", {}, "Sentences"),
    ...told(annotation?.result, sentences, findings),
    el("h3", {}, "What people say"),
    feedback.length ? table(["Label", "Sentence", "Comment"], feedback.map(mark), "What people say")
      : el("p", { class: "faint" }, "Nothing yet."),
  );
  byId("result").showModal();
  byId("result-title").focus();
}

/** @param {any} result */
function facts(result) {
  const rows = [
    ["Model", result.model || "–"], ["Collection", result.collection || "–"],
    ["Policy", `${result.policy || "–"} ${result.policy_hash}`],
    ["Groundedness", shown(result.groundedness)], ["Doubt", shown(result.doubt)],
    ["Confidence of retrieval", result.confidence_level ?? "–"],
    ["Answerable", yesOrNo(result.answerable)], ["Refusal", result.refusal_kind ?? "–"],
    ["Claims supported", `${result.supported_claims ?? "–"} of ${result.total_claims ?? "–"}`],
    ["Added time", `${shown((result.request_ms ?? 0) + (result.tail_ms ?? 0))} ms`],
    ["Ended", result.ended ?? "–"],
  ];
  return table(["Of the answer", ""], rows, "Of the answer");
}

/** @param {any} result @param {any[]} sentences @param {any[]} findings */
function told(result, sentences, findings) {
  if (!result) return [el("p", { class: "faint" }, "The answer was not checked.")];
  const words = new Map(sentences.map((it) => [`${it.choice}-${it.position}`, it.text]));
  const items = result.sentences.map((/** @type {any} */ one, /** @type {number} */ at) => {
    const text = words.get(`${result.choice}-${at}`);
    const found = findings.filter((it) => it.choice === result.choice && it.sentence === at);
    return el("li", {},
      text ? el("span", {}, text) : el("span", { class: "faint" }, `Characters ${one.start} to ${one.end}`),
      el("div", { class: "faint" }, one.is_claim ? `support ${shown(one.support)}, doubt ${shown(one.doubt)}` : "no claim"),
      ...found.map((it) => el("div", { class: it.severity === "warning" ? "WARN" : null },
        `${it.severity}: ${it.check}`, it.value ? ` “${it.value}”` : "")));
  });
  const hint = words.size ? "" : el("p", { class: "faint" }, "No text is stored: the words are not here.");
  return [hint, el("ol", { class: "said" }, ...items)];
}

/** @param {any} one */
const mark = (one) => [one.label, one.sentence === null ? "answer" : one.sentence + 1, one.comment ?? ""];
