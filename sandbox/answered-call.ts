// What became of a call to a platform, for the person who watches.

import type { Call } from './faults.ts';
import type { Fault, FaultKind, SandboxReply } from './simulator.ts';

export interface AnsweredCall extends Call {
  /** Undefined when nothing was answered. */
  readonly status: number | undefined;
  /** Why it was refused, in the platform's words, or what is wrong with the answer; undefined when all is well. */
  readonly refusal: string | undefined;
}

/** Faults that the answer does not show by itself. */
const ofTheWire: Partial<Record<FaultKind, string>> = {
  drop: 'The connection was closed without an answer.',
  half_open: 'The connection stays open, and nothing is answered.',
  slow_drip: 'The answer comes one byte a second.',
  html: 'A page was answered in place of JSON.',
  empty_body: 'The answer was empty.',
  truncated_json: 'The answer broke off in the middle.',
};

export function answeredCall(
  { platform, method, chat }: Call,
  reply: SandboxReply | null,
  fault: Fault | undefined,
): AnsweredCall {
  const wire = fault === undefined ? undefined : ofTheWire[fault.kind];
  const addressed = chat === undefined ? {} : { chat };
  const refusal = wire ?? (reply === null ? undefined : refusalIn(reply));
  return { platform, method, ...addressed, status: reply?.status, refusal };
}

/** How refusals begin where the status does not tell. */
const refused = /^\{"(error":\{|ok":false|success":false)/;

/** The words of a refusal. Each platform has its own place for them. */
function refusalIn({ status, body }: SandboxReply): string | undefined {
  if (status < 400 && !refused.test(body)) return undefined;
  const said = fieldsOf(parse(body));
  const words = [said['description'], fieldsOf(said['error'])['error_msg'], said['message']];
  return words.find((each) => typeof each === 'string') ?? `Status ${status}.`;
}

function fieldsOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}
