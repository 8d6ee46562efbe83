// Finds the pull source that a command names, and opens what is needed to read it in this process.

import { type ListedSource, listPullSources } from '../../db/pull.ts';
import { NotFoundError } from '../../errors.ts';
import { silentLog } from '../../log.ts';
import type { PullContext } from '../../pull/pull-source.ts';
import { openGround } from '../../roles/ground.ts';
import { pullContext } from '../../roles/pull.ts';
import type { Place } from '../asking.ts';
import { type Terminal, UsageError } from '../command.ts';
import { nearest, thereAre } from '../given/nearest.ts';
import { configOfServices } from '../sandbox/running.ts';

/** The one source that the command line names. */
export function oneSource(positionals: readonly string[]): string {
  const [named, ...more] = positionals;
  if (named === undefined) throw new UsageError('which source? outrider sources lists them');
  if (more.length > 0) throw new UsageError(`one source at a time, not also ${more.join(' ')}`);
  return named;
}

export async function sourceNamed(
  { client, workspaceId }: Place,
  named: string,
): Promise<ListedSource> {
  const known = await listPullSources(client, workspaceId);
  const found = known.find((each) => each.sourceId === named);
  if (found !== undefined) return found;
  const names = known.map((each) => each.sourceId);
  const meant = nearest(named, names);
  const list = names.length === 0 ? 'there is none yet' : thereAre(names);
  throw new NotFoundError(`there is no pull source "${named}"`, {
    hint: meant === undefined ? list : `did you mean ${meant}?`,
  });
}

/** Reads sources as the role pull does, and closes what it opened. */
export async function readingSources<Result>(
  place: Place,
  terminal: Terminal,
  work: (context: PullContext) => Promise<Result>,
): Promise<Result> {
  const config = await configOfServices(place.config, terminal);
  const ground = openGround({
    config,
    database: place.database,
    log: silentLog,
    means: { pools: { intake: place.client } },
  });
  try {
    return await work(await pullContext(ground));
  } finally {
    await ground.close();
  }
}
