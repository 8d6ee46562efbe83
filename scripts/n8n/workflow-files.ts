// What an import into n8n needs of the workflows: their ids, and the paths of their webhooks.

import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';

export const workflowsFolder = path.join(import.meta.dirname, '../../workflows');

const Workflow = z.object({
  id: z.string(),
  nodes: z.array(
    z.object({
      parameters: z.object({
        authentication: z.string().optional(),
        path: z.string().optional(),
      }),
    }),
  ),
});

async function readAll(): Promise<z.output<typeof Workflow>[]> {
  const files = (await readdir(workflowsFolder)).toSorted();
  return Promise.all(
    files.map(async (file) => {
      return Workflow.parse(JSON.parse(await readFile(path.join(workflowsFolder, file), 'utf8')));
    }),
  );
}

/** Adapters first, then the engine of the bots: what is called is published before what calls it. */
export async function workflowIds(): Promise<string[]> {
  return (await readAll()).map(({ id }) => id).toReversed();
}

/** The webhooks that ask for a credential: a call without one starts nothing. */
export async function guardedPaths(unpublished: readonly string[] = []): Promise<string[]> {
  return (await readAll())
    .filter(({ id }) => !unpublished.includes(id))
    .flatMap(({ nodes }) => nodes)
    .flatMap(({ parameters }) =>
      parameters.authentication === 'headerAuth' ? (parameters.path ?? []) : [],
    );
}
