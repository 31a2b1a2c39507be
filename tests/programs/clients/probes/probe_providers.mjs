// The Node SDKs of Google and Cohere: streams, and whole answers.

import { GoogleGenAI } from "@google/genai";
import { CohereClientV2 } from "cohere-ai";
import { MESSAGES, PASSAGES, QUESTION, probe, run, watching } from "./probing.mjs";

const geminiOf = (step) =>
  new GoogleGenAI({
    apiKey: "none",
    httpOptions: { baseUrl: step.base, headers: step.headers, timeout: 20_000 },
  });
const geminiRequest = (step) => ({
  model: step.model, contents: QUESTION, config: { systemInstruction: PASSAGES },
});

function readGemini(response, answer) {
  answer.seeHeaders(response.sdkHttpResponse?.headers);
  answer.see(response.streamguard);
  answer.usage = response.usageMetadata ?? answer.usage;
  for (const candidate of response.candidates ?? []) {
    const index = candidate.index ?? 0;
    for (const part of candidate.content?.parts ?? []) {
      if (part.thought) answer.thought += part.text;
      else if (part.text) answer.said(part.text, index);
      else if (part.functionCall) answer.tool_args += JSON.stringify(part.functionCall.args);
    }
    if (candidate.finishReason) answer.finish_reason[index] = candidate.finishReason;
  }
}

async function gemini(step, answer) {
  const stream = await geminiOf(step).models.generateContentStream(geminiRequest(step));
  for await (const response of stream) readGemini(response, answer);
}

const geminiWhole = async (step, answer) =>
  readGemini(await geminiOf(step).models.generateContent(geminiRequest(step)), answer);

const cohereOf = (step, answer) =>
  new CohereClientV2({
    token: "none", baseUrl: step.base, maxRetries: 0, headers: step.headers, fetch: watching(answer),
  });
const cohereRequest = (step) => ({ model: step.model, messages: MESSAGES });

async function cohere(step, answer) {
  for await (const event of await cohereOf(step, answer).chatStream(cohereRequest(step))) {
    answer.see(event.streamguard);
    if (event.type === "content-delta") {
      answer.said(event.delta.message.content.text ?? "");
      answer.thought += event.delta.message.content.thinking ?? "";
    } else if (event.type === "tool-call-delta") {
      answer.tool_args += event.delta.message.toolCalls.function.arguments;
    } else if (event.type === "message-end") {
      answer.finish_reason[0] = event.delta.finishReason;
      answer.usage = event.delta.usage;
    }
  }
}

async function cohereWhole(step, answer) {
  const made = await cohereOf(step, answer).chat(cohereRequest(step));
  answer.see(made.streamguard);
  for (const part of made.message.content ?? []) {
    if (part.type === "text") answer.said(part.text);
    else answer.thought += part.thinking;
  }
  for (const call of made.message.toolCalls ?? []) answer.tool_args += call.function.arguments;
  answer.finish_reason[0] = made.finishReason;
  answer.usage = made.usage;
}

run([
  probe("google-genai Node", "gemini", gemini, { sees: [] }),
  probe("google-genai Node, whole answer", "gemini", geminiWhole, { sees: [] }),
  probe("cohere Node", "cohere", cohere),
  probe("cohere Node, whole answer", "cohere", cohereWhole),
]);
