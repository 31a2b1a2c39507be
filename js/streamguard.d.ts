/**
 * Types of `streamguard.js`: annotations as they ride in answers, and the functions that read them.
 *
 * `docs/annotation.schema.json` has every field; the index signatures stand for those not named.
 */

export interface Nearest {
  value: string | null;
  chunk_id: string;
  start: number;
  end: number;
}

export interface Finding {
  flag: string;
  check: string;
  severity: "info" | "warning";
  /** Half-open, into the answer; null about the answer as a whole. */
  start: number | null;
  end: number | null;
  value: string | null;
  nearest: Nearest | null;
  message: string | null;
  against?: { value: string | null; start: number; end: number } | null;
  effect?: "none" | "warn" | "refuse" | null;
}

export interface Evidence {
  chunk_id: string;
  start: number;
  end: number;
  derivation: string | null;
  operands?: Nearest[];
}

export interface Sentence {
  start: number;
  end: number;
  is_claim: boolean;
  coverage: number | null;
  support: number | null;
  evidence: Evidence | null;
  cited_chunks: string[];
  /** Positions in the result's `findings`. */
  findings: number[];
  doubt?: number | null;
  [field: string]: unknown;
}

export interface Reason {
  code: string;
  rule: string;
  value: number | null;
  threshold: number | null;
  /** May quote the answer and its passages; then `plain` is the message without their words. */
  message: string;
  plain?: string | null;
}

export interface Result {
  status: "PASS" | "WARN" | "REFUSE" | null;
  reasons: Reason[];
  flags: string[];
  findings: Finding[];
  sentences: Sentence[];
  uncovered_claims: (string | null)[];
  supported_claims: number;
  total_claims: number;
  banners: { flag: string; colour: "yellow" | "orange"; text: string }[];
  refusal: { detected: boolean; extent: string; kind: string; phrases: string[] };
  /** What a page may show in the answer's place where the status is REFUSE. */
  replacement: string | null;
  complete: boolean;
  ended: string;
  [field: string]: unknown;
}

export interface Annotation {
  object: "streamguard.result";
  id: string;
  state: "complete" | "partial" | "pending" | "skipped";
  result: Result | null;
  choices?: Result[];
  [field: string]: unknown;
}

export interface SentenceAnnotation {
  object: "streamguard.sentence";
  id: string;
  choice: number;
  index: number;
  sentence: Sentence;
  findings: Finding[];
  finding_ids?: string[];
  provisional?: string[];
  confirmed?: string[];
  retracted?: string[];
  [field: string]: unknown;
}

/** One server-sent event; `event` is "message" where the server named none. */
export interface Frame {
  event: string;
  data: string;
  id: string;
}

export interface Span {
  start: number;
  end: number;
}

export interface Flagged extends Span {
  index: number;
  severity: "info" | "warning";
  findings: Finding[];
}

export const MAX_FRAME_CHARS: number;

/** The server-sent events of a response, or its JSON lines, as they arrive. */
export function readFrames(
  source: Response | ReadableStream<Uint8Array>,
  options?: { lines?: boolean },
): AsyncGenerator<Frame, void, void>;

/** The annotation that a parsed frame carries under this id, else null. */
export function annotationOf(
  value: unknown,
  id: string | null,
): Annotation | SentenceAnnotation | null;

/** The annotation of an answer from the side channel, null where there is none of that id. */
export function fetchAnnotation(
  id: string,
  options?: { base?: string | URL; init?: RequestInit; fetch?: typeof fetch },
): Promise<Annotation | null>;

/** The sentences that people should look at. */
export function flagged(result: Result): Flagged[];

/** The sentence of a live annotation as `flagged` would have it, else null. */
export function flaggedNow(annotation: SentenceAnnotation): Flagged | null;

/** A copy with its spans in UTF-16 units, as browsers count. */
export function inUtf16<T extends Result | SentenceAnnotation>(
  report: T,
  text: string,
  passages?: Map<string, string>,
): T;

/** A DOM Range for each span of the text that `root` shows, null for one outside it. */
export function rangesIn(root: Node, spans: Span[]): (Range | null)[];

/** The citations of a text: each with its span and the label or chunk id that it names. */
export function citationsIn(
  text: string,
  ids?: ReadonlySet<string>,
): (Span & { label: string })[];
