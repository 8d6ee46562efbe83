import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { queryRow } from '../../src/db/query-rows.ts';
import { addWorkspace, start } from '../support/database/seed.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import {
  type Case,
  hardOthers,
  hardPairs,
  laterOthers,
  laterPairs,
  others,
  pairs,
  type Told,
  unseenOthers,
  unseenPairs,
} from '../support/posts/near-duplicates.ts';

// The corpus was written by those who wrote the rules. It holds the rules to what they are meant to do; how often they
// are right on the posts of a city, only these can tell.

const database = await useDatabase();

beforeAll(async () => {
  await addWorkspace(database.admin, 'w');
  for (const { picture } of [...pairs, ...others].flatMap(({ first, again }) => [first, again])) {
    if (picture === undefined) continue;
    await database.admin.query(
      `insert into outrider.media_origin (workspace_id, blob_ref, origin_url, picture_hash, last_seen_at, created_at)
       values ('w', $1, 'x', $1, $2, $2) on conflict do nothing`,
      [picture, start],
    );
  }
});

function messageOf({ text, url, picture }: Told): object {
  const media = picture === undefined ? [] : [{ type: 'image', blob_ref: picture }];
  return { workspace_id: 'w', payload: { text, links: url === undefined ? [] : [url], media } };
}

/** How nearly the second is the same as the first, for a channel that compares pictures. */
async function scoreOf({ first, again }: Case): Promise<number> {
  const { score } = await queryRow(
    database.admin,
    z.object({ score: z.coerce.number() }),
    `select l.score
     from outrider.likeness(
       outrider.trace_of(jsonb_populate_record(null::outrider.messages, $2)),
       outrider.trace_of(jsonb_populate_record(null::outrider.messages, $1)), true) l`,
    [JSON.stringify(messageOf(first)), JSON.stringify(messageOf(again))],
  );
  return score;
}

/** The titles of those that a channel with the usual score suppresses. */
async function suppressed(cases: readonly Case[]): Promise<string[]> {
  const titles: string[] = [];
  for (const each of cases) if ((await scoreOf(each)) >= 0.8) titles.push(each.title);
  return titles;
}

describe('by the usual score', () => {
  it('posts that other sources copied are suppressed, and posts about other animals are not', async () => {
    const found = await suppressed(pairs);
    expect(pairs.map(({ title }) => title).filter((title) => !found.includes(title))).toEqual([]);
    expect(await suppressed(others)).toEqual([]);
  });

  it('what is told in other words is missed, and only fields tell that a pet was found', async () => {
    expect(await suppressed(hardPairs)).toEqual([]);
    expect(await suppressed(hardOthers)).toEqual(['a pet that was found, over the old text']);
    expect(await suppressed(laterPairs)).toHaveLength(laterPairs.length - 1);
    expect(await suppressed(laterOthers)).toEqual(['the owner was found']);
  });

  it('posts that the rules have never seen are told apart as printed', async () => {
    const found = await suppressed(unseenPairs);
    const mistaken = await suppressed(unseenOthers);
    const precision = found.length / (found.length + mistaken.length);
    const recall = found.length / unseenPairs.length;
    const titles = unseenPairs.map(({ title }) => title);
    const missed = titles.filter((title) => !found.includes(title));
    console.log(
      `near-duplicates: precision ${precision.toFixed(2)}, recall ${recall.toFixed(2)} on ${titles.length + unseenOthers.length} unseen cases`,
    );
    expect(missed).toEqual(['the breed spelt in another way', 'an abbreviation written out']);
    expect(mistaken).toEqual(['words that differ in their vowels only']);
  });
});
