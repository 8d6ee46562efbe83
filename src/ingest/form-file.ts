// Reads the file of a form (multipart/form-data), as browsers and form clients send it. Other fields are ignored.

import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Busboy } from '@fastify/busboy';
import type { Incoming } from '../http/body.ts';

/** The body is not a form with one file. */
export class FormFault extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = 'FormFault';
  }
}

/** The content-type of a form; undefined when the body is something else. */
export function formTypeOf({ raw }: Incoming): string | undefined {
  // As it was sent; the server has put its own into `headers`.
  const [type] = raw.headersDistinct['content-type'] ?? [];
  return type !== undefined && /^multipart\/form-data\b/i.test(type) ? type : undefined;
}

const limits = { files: 2, fields: 100, fieldSize: 1024, headerPairs: 100 };

/** The bytes of the form's file. Throws FormFault, and whatever the body throws. */
export async function* fileOf(
  formType: string,
  body: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  const form = readerOf(formType);
  const files: Readable[] = [];
  const { promise: first, resolve } = Promise.withResolvers<Readable | undefined>();
  form.on('file', (_field, file) => {
    file.on('error', () => undefined); // `read` has it as well
    files.push(file);
    if (files.length === 1) resolve(file);
    else file.resume();
  });
  const read = readInto(form, body).finally(() => {
    resolve(undefined);
    for (const file of files) file.destroy();
  });
  read.catch(() => undefined); // until it is awaited
  try {
    const file = await first;
    if (file !== undefined) yield* piecesOf(file, read);
    await read;
    if (file === undefined) throw new FormFault('the form has no file');
    if (files.length > 1) throw new FormFault('the form has several files; send them one by one');
  } finally {
    form.destroy();
  }
}

/** A file breaks off because the form or the body does. Throws the error of those, which says why. */
async function* piecesOf(file: Readable, read: Promise<void>): AsyncGenerator<Uint8Array> {
  try {
    for await (const piece of file) if (piece instanceof Uint8Array) yield piece;
  } catch (error) {
    await read;
    throw error;
  }
}

type Form = InstanceType<typeof Busboy>;

async function readInto(form: Form, body: AsyncIterable<Uint8Array>): Promise<void> {
  let broken: Error | undefined;
  async function* watched(): AsyncGenerator<Uint8Array> {
    try {
      yield* body;
    } catch (error) {
      if (error instanceof Error) broken = error;
      throw error;
    }
  }
  try {
    await pipeline(Readable.from(watched(), { objectMode: false }), form);
  } catch {
    throw broken ?? unreadable();
  }
}

function readerOf(formType: string): Form {
  try {
    return new Busboy({ headers: { 'content-type': formType }, limits });
  } catch {
    throw unreadable();
  }
}

function unreadable(): FormFault {
  return new FormFault('the form cannot be read: it has no boundary, or it breaks off');
}
