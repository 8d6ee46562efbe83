// Ids as people write them: whole, or as much of them as tells one from the others.

import { findDeliveries, findMessages } from '../../db/inspect.ts';
import { findOutboxEvents } from '../../db/outbox.ts';
import type { Queryable } from '../../db/pool.ts';
import { InvalidInputError, NotFoundError } from '../../errors.ts';
import type { Place } from '../asking.ts';
import { UsageError } from '../command.ts';
import { oneLine } from '../screen/shown-text.ts';
import { relative } from '../screen/times.ts';

const whole = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;

export function isWholeId(given: string): boolean {
  return whole.test(given);
}

/** Whether a word is likely to be an id, or a part of one, and not a word of English. */
export function mayBeId(given: string): boolean {
  return isPartOfId(given) && /\d/.test(given);
}

/** Whether a word can be an id, or a part of one. */
export function isPartOfId(given: string): boolean {
  return /^[\da-f]([\da-f-]*[\da-f])?$/i.test(given) && /^.{4,36}$/.test(given);
}

/** Refuses what cannot be an id, or a part of one, before the database is asked for it. */
export function idOf(what: string, given: string): string {
  if (isPartOfId(given)) return given;
  const article = /^[aeiou]/.test(what) ? 'an' : 'a';
  throw new UsageError(
    `"${given}" is not the id of ${article} ${what}: an id looks like 0198c0de-7d2a-7e3f-89e2-553500000001; ` +
      'four of its digits or more may be enough',
  );
}

/** The delivery that is meant: its id may be cut to its beginning or to its end. */
export async function deliveryMeant(
  { client, workspaceId }: Place,
  given: string,
): Promise<string> {
  if (whole.test(given)) return given;
  const found = await findDeliveries(client, workspaceId, given);
  const now = new Date();
  return theOne(
    'delivery',
    given,
    found.map((each) => ({
      id: each.deliveryId,
      about: `${each.channelId}, ${each.status}, ${relative(each.createdAt, now)}`,
    })),
  );
}

/** The message that is meant. */
export async function messageMeant({ client, workspaceId }: Place, given: string): Promise<string> {
  if (whole.test(given)) return given;
  const found = await findMessages(client, workspaceId, given);
  const now = new Date();
  return theOne(
    'message',
    given,
    found.map((each) => ({
      id: each.messageId,
      about: `${relative(each.createdAt, now)}, ${oneLine(each.text ?? '')}`,
    })),
  );
}

/** The event of the outbox that is meant. */
export async function eventMeant(client: Queryable, given: string): Promise<string> {
  if (whole.test(given)) return given;
  const found = await findOutboxEvents(client, given);
  const now = new Date();
  return theOne(
    'event',
    given,
    found.map((each) => ({
      id: each.eventId,
      about: `${each.eventType}, ${relative(each.createdAt, now)}`,
    })),
  );
}

interface Candidate {
  readonly id: string;
  readonly about: string;
}

function theOne(what: string, given: string, found: readonly Candidate[]): string {
  const [only, ...more] = found;
  if (only === undefined) {
    throw new NotFoundError(`no ${what} is known by "${given}"`, {
      hint: `write the whole id; the list shows it`,
    });
  }
  if (more.length === 0) return only.id;
  const lines = found.map(({ id, about }) => `  ${id}  ${about}`);
  const some = found.length === 10 ? ', and there may be more' : '';
  throw new InvalidInputError([`"${given}" may be any of these${some}:`, ...lines].join('\n'), {
    hint: 'write more of it, from its beginning or from its end',
  });
}
