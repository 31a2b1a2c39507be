// @ts-check
/** What a person says about an answer; kept with its result. */
import { el } from "./dom.js";

/** @typedef {import("./turn.js").Turn} Turn */
/** @typedef {"up" | "down" | "refusal_wrong" | "was_supported"} Label */

/**
 * Store what a person says, and say in `answered` whether that worked.
 *
 * `pressed` is the button that was used. A comment follows a thumb as a record of its own.
 * @param {Turn} turn @param {Label} label @param {HTMLElement} answered
 * @param {{sentence?: number | null, comment?: string | null, pressed?: Element}} [more]
 */
export async function sendFeedback(turn, label, answered, more = {}) {
  const { sentence = null, comment = null, pressed } = more;
  const stored = await post({ id: turn.annotation.id, label, sentence, comment });
  if (!stored) {
    answered.replaceChildren("This could not be stored. Please try again.");
    return;
  }
  if (pressed) press(pressed);
  answered.replaceChildren("Stored with the result. Thank you.");
  if (label === "down" && comment === null) answered.after(commentForm(turn, answered));
}

/** @param {object} record */
async function post(record) {
  const headers = { "Content-Type": "application/json" };
  const request = fetch("/streamguard/feedback", { method: "POST", headers, body: JSON.stringify(record) });
  return request.then((response) => response.ok, () => false);
}

/** Of two thumbs one is pressed. @param {Element} pressed */
function press(pressed) {
  if (pressed.matches(".thumb")) {
    for (const thumb of pressed.parentElement?.querySelectorAll(".thumb") ?? []) {
      thumb.setAttribute("aria-pressed", "false");
    }
  }
  pressed.setAttribute("aria-pressed", "true");
}

/** @param {Turn} turn @param {HTMLElement} answered */
function commentForm(turn, answered) {
  answered.parentElement?.querySelector(".comment")?.remove();
  const field = /** @type {HTMLInputElement} */ (el("input", { type: "text", maxlength: "2000" }));
  const send = async (/** @type {Event} */ event) => {
    event.preventDefault();
    const comment = field.value.trim();
    if (comment) await sendFeedback(turn, "down", answered, { comment });
    form.remove();
  };
  const form = el("form", { class: "comment", onsubmit: send },
    el("label", {}, "What was wrong? ", field), el("button", { type: "submit" }, "Send"));
  return form;
}
