// The OpenAI SDK for Node: streams and helpers of Chat Completions, Completions and Responses.

import OpenAI from "openai";
import { MESSAGES, PRICE, QUESTION, probe, run, watching } from "./probing.mjs";
import { major } from "./versions.mjs";

const NAME = `openai Node ${major("openai")}`;
const clients = new Map();

function clientOf(step) {
  const made = clients.get(step.base)
    ?? new OpenAI({ baseURL: `${step.base}/v1`, apiKey: "none", maxRetries: 0 });
  clients.set(step.base, made);
  return made;
}

// The helpers hide the response: one's own `fetch` shows its headers.
function watched(step, answer) {
  const fetch = watching(answer);
  return new OpenAI({ baseURL: `${step.base}/v1`, apiKey: "none", maxRetries: 0, fetch });
}

function request(step) {
  const asked = { model: step.model, messages: MESSAGES };
  if (step.model === "choices") asked.n = 2;
  if (["tools", "calls"].includes(step.model)) asked.tools = [PRICE];
  if (step.model === "usage") asked.stream_options = { include_usage: true };
  return asked;
}

async function opened(step, answer) {
  const { data, response } = await clientOf(step)
    .chat.completions.create({ ...request(step), stream: true }, { headers: step.headers })
    .withResponse();
  answer.seeHeaders(response.headers);
  return data;
}

async function chat(step, answer) {
  for await (const chunk of await opened(step, answer)) answer.chunk(chunk);
}

async function completions(step, answer) {
  const { messages, ...asked } = request(step);
  const { data, response } = await clientOf(step)
    .completions.create({ ...asked, prompt: QUESTION, stream: true }, { headers: step.headers })
    .withResponse();
  answer.seeHeaders(response.headers);
  for await (const chunk of data) {
    if (chunk.error) throw new Error(chunk.error.message);
    answer.see(chunk.streamguard);
    answer.usage = chunk.usage ?? answer.usage;
    for (const choice of chunk.choices) {
      answer.said(`${choice.text}`, choice.index);
      if (choice.finish_reason) answer.finish_reason[choice.index] = choice.finish_reason;
    }
  }
}

async function chatHelper(step, answer) {
  const stream = watched(step, answer)
    .chat.completions.stream(request(step), { headers: step.headers });
  stream.on("chunk", (chunk) => answer.see(chunk.streamguard));
  stream.on("content", (delta) => answer.said(delta));
  const final = await stream.finalChatCompletion();
  answer.usage = final.usage ?? null;
  for (const choice of final.choices) {
    answer.text[choice.index] = choice.message.content ?? "";
    answer.finish_reason[choice.index] = choice.finish_reason;
    for (const call of choice.message.tool_calls ?? []) answer.tool_args += call.function.arguments;
  }
}

function readEvent(event, answer) {
  answer.see(event.response?.streamguard);
  if (event.type === "response.output_text.delta") {
    answer.see(event.streamguard);
    answer.said(event.delta);
  } else if (event.type === "response.reasoning_summary_text.delta") answer.thought += event.delta;
  else if (event.type === "response.function_call_arguments.delta") answer.tool_args += event.delta;
  else if (event.type === "response.completed") {
    answer.usage = event.response.usage;
    answer.finish_reason[0] = event.response.status;
  } else if (event.type === "error") throw new Error(event.message);
}

async function responses(step, answer) {
  const { data, response } = await clientOf(step)
    .responses.create(
      { model: step.model, input: MESSAGES, stream: true },
      { headers: step.headers },
    )
    .withResponse();
  answer.seeHeaders(response.headers);
  for await (const event of data) readEvent(event, answer);
}

async function responsesHelper(step, answer) {
  const stream = watched(step, answer).responses.stream(
    { model: step.model, input: MESSAGES },
    { headers: step.headers },
  );
  for await (const event of stream) readEvent(event, answer);
  const final = await stream.finalResponse();
  answer.see(final.streamguard);
  answer.text[0] = final.output_text;
}

async function loopFirstChoice(step, answer) {
  let last;
  for await (const chunk of await opened(step, answer)) {
    answer.see(chunk.streamguard);
    answer.said(chunk.choices[0].delta.content || "");
    last = chunk;
  }
  answer.finish_reason[0] = last.choices[0].finish_reason;
  answer.usage = last.usage ?? null;
}

async function loopBreak(step, answer) {
  for await (const chunk of await opened(step, answer)) {
    answer.see(chunk.streamguard);
    answer.said(chunk.choices[0].delta.content || "");
    if (chunk.choices[0].finish_reason && chunk.choices[0].index === 0) {
      answer.finish_reason[0] = chunk.choices[0].finish_reason;
      break;
    }
  }
}

run([
  probe(NAME, "chat", chat),
  probe(`${NAME}, helper`, "chat", chatHelper),
  probe(NAME, "completions", completions),
  probe(NAME, "responses", responses),
  probe(`${NAME}, helper`, "responses", responsesHelper),
  probe(`${NAME}, loop over choices[0]`, "chat", loopFirstChoice,
    { last_finish: true, fails: ["usage"] }),
  probe(`${NAME}, loop left at finish_reason`, "chat", loopBreak, { sees: ["attach"] }),
]);
