// The presets that Outrider brings along.

import { readFile } from 'node:fs/promises';
import { OutriderError } from '../../errors.ts';
import { readConfiguration } from './read-configuration.ts';

/** The document of a preset, as outrider.apply_workspace takes it. The variables are those that it names. */
export async function presetDocument(
  preset: string,
  variables: Readonly<Record<string, string>> = {},
): Promise<Readonly<Record<string, unknown>>> {
  const name = `presets/${preset}.yaml`;
  const text = await readFile(new URL(`../../../${name}`, import.meta.url), 'utf8');
  const [first] = await readConfiguration(name, text, variables);
  if (first === undefined) throw new OutriderError('configuration', `${name} is empty`);
  return first.document;
}
