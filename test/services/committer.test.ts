import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { useDatabase } from '../support/fixtures/database.ts';
import { Committing, sizesOf } from '../support/queue/committing.ts';
import { failed, sent } from '../support/queue/outcomes.ts';

const database = await useDatabase();
let committing: Committing;

beforeEach(async () => {
  committing = await Committing.open(database, database.newWorkspaceId());
});

afterEach(() => committing.close());

describe('the committer', () => {
  it('records an outcome at once and answers with what became of it', async () => {
    const one = await committing.claimedOne();
    const [committer, watched] = committing.committerOn(database.service);
    const verdict = await committer.commit(committing.workspaceId, sent(one));
    expect(verdict).toMatchObject({ deliveryId: one.deliveryId, became: 'sent' });
    expect(sizesOf(watched)).toEqual([1]);
    expect(await committing.rowOf(one)).toMatchObject({ status: 'sent' });
  });

  it('gathers outcomes while a commit is under way, and records them together', async () => {
    const held = await committing.claimed(10);
    const [committer, watched] = committing.committerOn(database.service);
    const [lock, verdicts] = await committing.commitBehindLock(committer, held.map(sent));
    expect(sizesOf(watched)).toEqual([1]);
    await lock.commit();
    expect((await verdicts).map((verdict) => verdict?.became)).toEqual(held.map(() => 'sent'));
    expect(sizesOf(watched)).toEqual([1, 9]);
  });

  it('records no more at a time than it is told', async () => {
    const held = await committing.claimed(10);
    const [committer, watched] = committing.committerOn(database.service, 4);
    const [lock, verdicts] = await committing.commitBehindLock(committer, held.map(sent));
    await lock.commit();
    expect((await verdicts).map((verdict) => verdict?.became)).toEqual(held.map(() => 'sent'));
    expect(sizesOf(watched)).toEqual([1, 4, 4, 1]);
  });

  it('lets the next ones wait for company after many, and none but those', async () => {
    const held = [...(await committing.claimed(31)), ...(await committing.claimed(32))];
    const [committer, watched] = committing.committerOn(database.service);
    const [lock, verdicts] = await committing.commitBehindLock(
      committer,
      held.slice(0, 61).map(sent),
    );
    await lock.commit();
    await verdicts;
    const last = held.slice(61).map((each) => committer.commit(committing.workspaceId, sent(each)));
    expect(await Promise.all(last)).toMatchObject([{ became: 'sent' }, { became: 'sent' }]);
    expect(sizesOf(watched)).toEqual([1, 60, 2]);
  });

  it('records successes with parts apart from plain ones, and all together beside a failure', async () => {
    const held = await committing.claimed(8);
    const [committer, watched] = committing.committerOn(database.service);
    const withParts = (each: (typeof held)[number]) => ({
      ...sent(each),
      parts: [{ item: 0, providerMessageId: 'a' }],
    });
    const kinds = [sent, sent, sent, withParts, sent, withParts, failed, sent];
    const outcomes = held.map((each, n) => (kinds[n] ?? sent)(each));
    for (const some of [outcomes.slice(0, 4), outcomes.slice(4)]) {
      const [lock, verdicts] = await committing.commitBehindLock(committer, some);
      await lock.commit();
      await verdicts;
    }
    expect(sizesOf(watched)).toEqual([1, 2, 1, 1, 3]);
  });

  it('does not let one workspace wait for another', async () => {
    const other = await Committing.open(database, 'other');
    const blocked = await committing.claimedOne();
    const free = await other.claimedOne();
    const [committer] = committing.committerOn(database.service);
    const [lock, verdicts] = await committing.commitBehindLock(committer, [sent(blocked)]);
    expect(await committer.commit('other', sent(free))).toMatchObject({ became: 'sent' });
    expect(await committing.rowOf(blocked)).toMatchObject({ status: 'sending' });
    await lock.commit();
    await verdicts;
  });

  it('gives every outcome its own verdict, also a stale one', async () => {
    const held = await committing.claimed(3);
    const [committer] = committing.committerOn(database.service);
    const stale = { claimToken: '00000000-0000-4000-8000-000000000000' };
    const outcomes = held.map((each, n) => sent(n === 1 ? { ...each, ...stale } : each));
    const verdicts = await Promise.all(
      outcomes.map((each) => committer.commit(committing.workspaceId, each)),
    );
    expect(verdicts.map((verdict) => verdict?.became)).toEqual(['sent', null, 'sent']);
    const ids = held.map((each) => each.deliveryId);
    expect(verdicts.map((verdict) => verdict?.deliveryId)).toEqual(ids);
  });
});

describe('an outcome that the database refuses', () => {
  const nul = 'before\0after';
  const enormous = 'x'.repeat(100_000);

  it.each([
    ['a NUL in what a provider said', { raw: { said: nul } }],
    ['a NUL in the message', { message: nul }],
    ['an enormous message', { message: enormous }],
    ['an enormous answer', { raw: enormous }],
    ['half a character', { message: 'a\ud800z' }],
  ])('with %s is recorded without its details, and the others with theirs', async (_, details) => {
    const held = await committing.claimed(4);
    const [committer] = committing.committerOn(database.service);
    const message = 'please wait';
    const outcomes = held.map((each, n) => failed(each, n === 2 ? details : { message }));
    const [lock, verdicts] = await committing.commitBehindLock(committer, outcomes);
    await lock.commit();
    expect((await verdicts).map((verdict) => verdict?.became)).toEqual(held.map(() => 'retry'));
    const rows = await Promise.all(held.map((each) => committing.rowOf(each)));
    expect(rows.map((row) => row.code)).toEqual(held.map(() => 'busy'));
    expect(rows.map((row) => row.message)).toEqual([message, message, null, message]);
    const said = committing.lines.filter((line) => line.includes('without its details'));
    expect(said).toHaveLength(1);
  });

  it.each([
    ['meta', { meta: { said: nul } }],
    ['parts', { parts: [{ item: 0, providerMessageId: nul }] }],
  ])('for the %s of a post that was sent is recorded as sent', async (_, details) => {
    const one = await committing.claimedOne();
    const [committer] = committing.committerOn(database.service);
    const outcome = { ...sent(one), ...details };
    expect(await committer.commit(committing.workspaceId, outcome)).toMatchObject({
      became: 'sent',
    });
    const { status, provider_message_id: id } = await committing.rowOf(one);
    expect([status, id]).toEqual(['sent', `id-${one.deliveryId}`]);
  });

  it('down to its bare facts is given up, and the others are recorded', async () => {
    const held = await committing.claimed(3);
    const [committer] = committing.committerOn(database.service);
    const nameless = { providerMessageId: '' };
    const outcomes = held.map((each, n) => ({ ...sent(each), ...(n === 1 ? nameless : {}) }));
    const [lock, verdicts] = await committing.commitBehindLock(committer, outcomes);
    await lock.commit();
    const became = (await verdicts).map((verdict) => verdict?.became);
    expect(became).toEqual(['sent', undefined, 'sent']);
    const said = committing.lines.filter((line) => line.includes('is not recorded'));
    expect(said).toEqual([expect.stringContaining(String(held[1]?.deliveryId))]);
  });
});
