// A file that a command line names; "-" is standard input.

import { readFile } from 'node:fs/promises';
import { OutriderError } from '../../errors.ts';
import type { Terminal } from '../command.ts';
import { utf8Text } from './utf8.ts';

/** Its text. `example` is a file to start from. */
export async function textOf(file: string, terminal: Terminal, example: string): Promise<string> {
  if (file === '-') return terminal.input();
  return utf8Text(file, await bytesOf(file, example));
}

async function bytesOf(file: string, example: string): Promise<Uint8Array> {
  try {
    return await readFile(file);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'ENOENT') {
      throw new OutriderError('not_found', `there is no file ${file}`, {
        hint: `check the path; ${example} is a file to start from`,
      });
    }
    const why = code === 'EISDIR' ? 'is a folder' : `cannot be read (${String(code)})`;
    throw new OutriderError('invalid_input', `${file} ${why}`, { hint: 'name a YAML file' });
  }
}

/** As messages call it. */
export function nameOf(file: string): string {
  return file === '-' ? 'standard input' : file;
}
