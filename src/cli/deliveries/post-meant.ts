// The post that somebody means: by the id of its message, or by its source_ref.

import { type FoundPost, findPosts } from '../../db/explain.ts';
import { findMessages } from '../../db/inspect.ts';
import { NotFoundError } from '../../errors.ts';
import type { Place } from '../asking.ts';
import type { Terminal } from '../command.ts';
import { isPartOfId, isWholeId, messageMeant } from '../given/short-ids.ts';

/** The id of its message. Of several posts with one source_ref the newest is meant. */
export async function postMeant(
  place: Place,
  given: string,
  terminal: Pick<Terminal, 'err'>,
): Promise<string> {
  const { client, workspaceId } = place;
  if (isWholeId(given)) {
    const [message] = await findMessages(client, workspaceId, given);
    if (message !== undefined) return message.messageId;
  }
  const found = await findPosts(client, { workspaceId, search: given, limit: 1000 });
  // A source_ref that looks like a phone number is masked: then the one post that was found is meant.
  const exact = found.filter((each) => each.sourceRef === given);
  const named = exact.length > 0 || messagesOf(found) > 1 ? exact : found;
  const [newest] = named.toSorted((a, b) => b.createdAt.getTime() - a.createdAt.getTime());
  if (newest !== undefined) {
    const count = messagesOf(named);
    if (count > 1) terminal.err(`${count} posts have this source_ref; the newest is followed`);
    return newest.messageId;
  }
  if (isPartOfId(given) && !isWholeId(given)) return messageMeant(place, given);
  throw new NotFoundError(`no post is known by "${given}"`, {
    hint: 'name the message by its id, which outrider send prints, or the post by its source_ref',
  });
}

function messagesOf(found: readonly FoundPost[]): number {
  return new Set(found.map((each) => each.messageId)).size;
}
