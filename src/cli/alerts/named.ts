// The alert that a command line means.

import { type ListedAlert, listAlerts } from '../../db/monitor.ts';
import { InvalidInputError, NotFoundError } from '../../errors.ts';
import type { Place } from '../asking.ts';

/** Finds it by its fingerprint, or by its id; the beginning or the end of the id is enough. */
export async function alertMeant(
  { client, workspaceId }: Place,
  given: string,
): Promise<ListedAlert> {
  const known = await listAlerts(client, { workspaceId, limit: 1000 });
  const named = known.find((each) => each.fingerprint === given);
  if (named !== undefined) return named;
  const part = given.toLowerCase();
  const found = known.filter(
    ({ alertId }) => part.length >= 4 && (alertId.startsWith(part) || alertId.endsWith(part)),
  );
  const [only, ...more] = found;
  if (only === undefined) {
    throw new NotFoundError(`no alert is known by "${given}"`, {
      hint: 'outrider alerts --all lists them, with their ids and fingerprints',
    });
  }
  if (more.length === 0) return only;
  const lines = found.map(({ alertId, fingerprint }) => `  ${alertId}  ${fingerprint}`);
  throw new InvalidInputError([`"${given}" may be any of these:`, ...lines].join('\n'), {
    hint: 'write more of it, from its beginning or from its end',
  });
}
