import { fileURLToPath } from 'node:url';

const hooks = new URL('../../../scripts/from-sources.ts', import.meta.url).href;

/** The arguments of Node for a program that imports the package by its name: it gets the sources. */
export function fromSources(program: string | URL): string[] {
  const file = program instanceof URL ? fileURLToPath(program) : program;
  return ['--import', hooks, file];
}
