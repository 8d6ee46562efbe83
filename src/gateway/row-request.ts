// A request to the gateway: a JSON object, from a caller that may go away.

import { isUtf8 } from 'node:buffer';
import type { z } from 'zod';
import type { Answer } from '../http/answer.ts';
import { type ByteHolder, type Incoming, readBody } from '../http/body.ts';
import { parseExactly } from '../ingest/exact-json.ts';
import { isNestedTooDeeply } from '../ingest/nesting.ts';
import { notARow, refuse } from './refusal.ts';

/** A post has 1 MiB at most, and a row has it twice: as it came and as it is sent. */
const maxRowBytes = 4 * 1024 * 1024;
const patience = { totalMs: 30_000, silenceMs: 30_000 };

export type ReadRow<Row> =
  | { readonly ok: true; readonly row: Row }
  | { readonly ok: false; readonly refusal: Answer };

/** The body, as its schema reads it. Keys that the schema does not know are left out. */
export async function readRow<Schema extends z.ZodType>(
  incoming: Incoming & ByteHolder,
  schema: Schema,
): Promise<ReadRow<z.output<Schema>>> {
  const text = await readText(incoming);
  if (typeof text !== 'string') return { ok: false, refusal: text };
  const parsed = schema.safeParse(JSON.parse(text));
  if (parsed.success) return { ok: true, row: parsed.data };
  return { ok: false, refusal: notARow(faultIn(parsed.error)) };
}

/** The body with its numbers as they were written. */
export async function readExactly(
  incoming: Incoming & ByteHolder,
): Promise<ReadRow<Readonly<Record<string, unknown>>>> {
  const text = await readText(incoming);
  if (typeof text !== 'string') return { ok: false, refusal: text };
  return { ok: true, row: parseExactly(text) };
}

/** The text of a JSON object, or the refusal. */
async function readText(incoming: Incoming & ByteHolder): Promise<string | Answer> {
  const type = incoming.raw.headersDistinct['content-type']?.join() ?? '';
  if (!/^application\/json\s*(;|$)/i.test(type)) {
    return refuse('unsupported_media_type', 'the body must be JSON', {
      hint: 'send it with content-type: application/json',
    });
  }
  const body = await readBody(incoming, maxRowBytes, patience);
  if (!body.ok) {
    return refuse('payload_too_large', `the body is larger than ${maxRowBytes} bytes`);
  }
  if (!isUtf8(body.bytes)) return refuse('malformed_json', 'the body is not UTF-8');
  const text = body.bytes.toString('utf8');
  return faultOf(text) ?? text;
}

/** Why the text is not the text of a row. */
function faultOf(text: string): Answer | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return refuse('malformed_json', 'the body is not JSON');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return notARow('the body must be an object');
  }
  const tooDeep = Object.entries(value).find(([, each]) => isNestedTooDeeply(each));
  return tooDeep && notARow(`${tooDeep[0]}: it is nested too deeply`);
}

function faultIn({ issues: [first] }: z.ZodError): string {
  const path = first?.path.map(String).join('.') ?? '';
  const message = first?.message ?? 'it cannot be read';
  return path === '' ? message : `${path}: ${message}`;
}

/** Aborted when nobody waits for the answer any more. */
export function whenGone({ response }: Incoming): AbortSignal {
  const controller = new AbortController();
  if (response.destroyed) controller.abort();
  response.once('close', () => controller.abort());
  return controller.signal;
}
