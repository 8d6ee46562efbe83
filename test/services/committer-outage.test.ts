import { afterEach, beforeEach, describe, expect, inject, it, vi } from 'vitest';
import { z } from 'zod';
import { queryRows } from '../../src/db/query-rows.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import { Committing, sizesOf } from '../support/queue/committing.ts';
import { failed, sent } from '../support/queue/outcomes.ts';

const database = await useDatabase();
let committing: Committing;

beforeEach(async () => {
  committing = await Committing.open(database, database.newWorkspaceId());
});

afterEach(() => committing.close());

describe('while the database is away', () => {
  it('an outcome is kept and tried again until it is recorded', async () => {
    const one = await committing.claimedOne();
    const { proxy, client } = await committing.throughProxy();
    const [committer, watched] = committing.committerOn(client);
    await proxy.greet('refused');
    const verdict = committer.commit(committing.workspaceId, sent(one));
    await vi.waitFor(() => expect(sizesOf(watched).length).toBeGreaterThan(3), 30_000);
    await proxy.greet('served');
    expect(await verdict).toMatchObject({ became: 'sent' });
  });

  it('outcomes that come meanwhile gather into one commit', async () => {
    const held = await committing.claimed(5);
    const { proxy, client } = await committing.throughProxy();
    const [committer, watched] = committing.committerOn(client);
    await proxy.greet('refused');
    const verdicts = held.map((each) => committer.commit(committing.workspaceId, sent(each)));
    await vi.waitFor(() => expect(sizesOf(watched).length).toBeGreaterThan(1), 30_000);
    await proxy.greet('served');
    const became = (await Promise.all(verdicts)).map((verdict) => verdict?.became);
    expect(became).toEqual(held.map(() => 'sent'));
    expect(sizesOf(watched).at(-1)).toBe(4);
  });

  it('a commit that went through without an answer is not recorded a second time', async () => {
    const one = await committing.claimedOne();
    const { proxy, client } = await committing.throughProxy();
    const [committer] = committing.committerOn(client);
    const [lock, verdicts] = await committing.commitBehindLock(committer, [sent(one)]);
    // The server does not notice: that commit and its repetition wait side by side.
    proxy.cut();
    await committing.commitsToWait(2);
    await lock.commit();
    expect(await verdicts).toMatchObject([{ became: null }]);
    const events = await queryRows(
      database.admin,
      z.object({ action: z.string() }),
      `select action::text from outrider.events where delivery_id = $1 order by ts, id`,
      [one.deliveryId],
    );
    expect(events.map(({ action }) => action)).toEqual(['send_attempt', 'sent']);
  });

  it('an outcome is given up only when the committer is told to', async () => {
    const one = await committing.claimedOne();
    const { proxy, client } = await committing.throughProxy();
    const [committer, watched] = committing.committerOn(client);
    await proxy.greet('refused');
    const verdict = committer.commit(committing.workspaceId, sent(one));
    await vi.waitFor(() => expect(sizesOf(watched).length).toBeGreaterThan(1), 30_000);
    committer.giveUp();
    expect(await verdict).toBeUndefined();
    expect(committing.lines).toEqual([expect.stringContaining('outcomes are not recorded')]);
    expect(await committer.commit(committing.workspaceId, sent(one))).toBeUndefined();
  });
});

describe('a database that takes nothing for now', () => {
  it('because it may only be read gets the outcome, with its details, when it can be written', async () => {
    const one = await committing.claimedOne();
    await readOnly(true);
    const { client } = await committing.throughProxy();
    const [committer, watched] = committing.committerOn(client);
    const outcome = failed(one, { message: 'please wait' });
    const verdict = committer.commit(committing.workspaceId, outcome);
    await vi.waitFor(() => expect(sizesOf(watched).length).toBeGreaterThan(3), 30_000);
    await readOnly(false);
    expect(await verdict).toMatchObject({ became: 'retry' });
    expect(await committing.rowOf(one)).toMatchObject({ code: 'busy', message: 'please wait' });
  });

  it('because it is broken gets at least the bare facts when it works again', async () => {
    const one = await committing.claimedOne();
    await rename('commit_outcomes', 'commit_outcomes_away');
    const { client } = await committing.throughProxy();
    const [committer, watched] = committing.committerOn(client);
    const outcome = failed(one, { message: 'please wait' });
    const verdict = committer.commit(committing.workspaceId, outcome);
    await vi.waitFor(() => expect(sizesOf(watched).length).toBeGreaterThan(3), 30_000);
    await rename('commit_outcomes_away', 'commit_outcomes');
    expect(await verdict).toMatchObject({ became: 'retry' });
    expect(await committing.rowOf(one)).toMatchObject({ code: 'busy' });
  });

  async function readOnly(isOn: boolean): Promise<void> {
    await database.admin.query(
      `alter role ${inject('postgres').serviceLogin} in database ${database.name}
       set default_transaction_read_only = ${isOn ? 'on' : 'off'}`,
    );
  }

  async function rename(from: string, to: string): Promise<void> {
    await database.admin.query(`alter function outrider.${from} rename to ${to}`);
  }
});
