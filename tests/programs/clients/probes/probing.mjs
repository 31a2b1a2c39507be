// What the Node and browser probes share: they run a plan and tell what a client made of answers.

export const PASSAGES =
  "Answer from these.\n[C1] The Basic plan costs $10 per month.\n[C2] Pro costs $49.";
export const QUESTION = "What does the Basic plan cost?";
export const MESSAGES = [
  { role: "system", content: PASSAGES },
  { role: "user", content: QUESTION },
];
export const PRICE = {
  type: "function",
  function: {
    name: "price",
    parameters: { type: "object", properties: { plan: { type: "string" } } },
  },
};

export class Answer {
  text = {};
  thought = "";
  tool_args = "";
  finish_reason = {};
  usage = null;
  annotation = null;
  annotation_chars = 0;
  live = 0;
  id = null;
  error = null;

  said(text, choice = 0) {
    this.text[choice] = (this.text[choice] ?? "") + (text ?? "");
  }

  // Take what stands under the key `streamguard`.
  see(found) {
    if (!found) return;
    if (found.object === "streamguard.sentence") this.live += 1;
    else {
      this.annotation = found.id;
      this.annotation_chars = JSON.stringify(found).length;
    }
  }

  seeHeaders(headers) {
    if (!headers) return;
    this.id = (headers.get ? headers.get("x-streamguard-id") : headers["x-streamguard-id"]) ?? null;
  }

  // Take a parsed chunk of Chat Completions.
  chunk(chunk) {
    if (chunk.error) throw new Error(chunk.error.message);
    this.see(chunk.streamguard);
    this.usage = chunk.usage ?? this.usage;
    for (const choice of chunk.choices) {
      this.said(choice.delta.content, choice.index);
      this.thought += choice.delta.reasoning_content ?? "";
      for (const call of choice.delta.tool_calls ?? []) {
        this.tool_args += call.function.arguments ?? "";
      }
      if (choice.finish_reason) this.finish_reason[choice.index] = choice.finish_reason;
    }
  }
}

// A client's way to read a protocol; the fields are those of `Probe` in probing.py.
export function probe(client, protocol, read, more = {}) {
  const usual = { sees: ["own", "attach"], blind: [], last_finish: false, header: true, fails: [] };
  return { client, protocol, read, ...usual, ...more };
}

// `fetch` for a client that hides the response: it notes the id in the headers.
export function watching(answer) {
  return async (...asked) => {
    const response = await fetch(...asked);
    answer.seeHeaders(response.headers);
    return response;
  };
}

export async function runPlan(plan, probes, tell, log = () => {}) {
  for (const step of plan) {
    for (const { read, ...head } of probes) {
      if (!step.protocols.includes(head.protocol)) continue;
      if (step.route === "event" && !head.sees.includes("event")) continue;
      const answer = new Answer();
      try {
        let timer;
        const late = new Promise((_, refuse) => {
          timer = setTimeout(() => refuse(new Error("no answer in 20 s")), 20_000);
        });
        await Promise.race([read(step, answer), late]).finally(() => clearTimeout(timer));
      } catch (error) {
        answer.error = `${error.name}: ${String(error.message).slice(0, 200)}`;
        if (!step.model.startsWith("error")) log(head.client, head.protocol, step, error);
      }
      await tell({ ...head, route: step.route, model: step.model, ...answer });
    }
  }
}

// Run the plan on standard input; print one line of JSON for each answer.
export async function run(probes) {
  let text = "";
  for await (const piece of process.stdin) text += piece;
  const tell = (answer) => console.log(JSON.stringify(answer));
  const log = (client, protocol, step, error) =>
    console.error(client, protocol, step.route, step.model, error);
  await runPlan(JSON.parse(text), probes, tell, log);
  process.exit(0);
}
