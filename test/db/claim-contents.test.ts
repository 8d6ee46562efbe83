import { beforeEach, describe, expect, it } from 'vitest';
import { type ClaimedDelivery, claimDeliveries, saveProgress } from '../../src/db/claim.ts';
import { commitOutcomes } from '../../src/db/commit.ts';
import {
  addBacklog,
  addChannel,
  addDelivery,
  addMessage,
  addNewWorkspace,
  after,
  start,
} from '../support/database/seed.ts';
import { useDatabase } from '../support/fixtures/database.ts';

const database = await useDatabase();
let workspaceId: string;

beforeEach(async () => {
  workspaceId = await addNewWorkspace(database);
});

async function claim(now = start, limit = 100): Promise<ClaimedDelivery[]> {
  return claimDeliveries(database.service, { workspaceId, runId: 'run-1', limit }, now);
}

/** What a table holds of this workspace. */
async function rows(table: string, columns: string): Promise<unknown[]> {
  const found: { rows: unknown[] } = await database.admin.query(
    `select ${columns} from outrider.${table} where workspace_id = $1`,
    [workspaceId],
  );
  return found.rows;
}

describe('a claimed delivery', () => {
  it('comes with all that a send needs', async () => {
    await addChannel(database.admin, workspaceId, 'news', {
      target_id: '-100777',
      auth_ref: 'bot-a',
      rate_group: 'shared',
      settings: JSON.stringify({ parse_mode: 'HTML' }),
    });
    await database.admin.query(
      `insert into outrider.credential_bindings (workspace_id, auth_ref, platform, secret_ref, updated_at)
       values ($1, 'bot-a', 'telegram', 'env:BOT_A', $2)`,
      [workspaceId, start],
    );
    const messageId = await addMessage(database.admin, workspaceId, {
      payload: JSON.stringify({ type: 'text', text: 'Найден кот' }),
    });
    const deliveryId = await addDelivery(database.admin, workspaceId, 'news', {
      message_id: messageId,
      rendered_text: '<b>Найден кот</b>',
      render_meta: JSON.stringify({ format: 'HTML', parts: [{ kind: 'text' }] }),
      trace_id: 'trace-7',
    });

    expect(await claim()).toEqual([
      {
        deliveryId,
        claimToken: expect.stringMatching(/^[0-9a-f-]{36}$/),
        leaseMs: 30_000,
        attempt: 1,
        outcomeUnknown: false,
        notBefore: '2026-03-02 10:00:00+00',
        traceId: 'trace-7',
        messageId,
        channel: {
          channelId: 'news',
          platform: 'telegram',
          targetId: '-100777',
          authRef: 'bot-a',
          secretRef: 'env:BOT_A',
          rateGroup: 'shared',
          settings: { parse_mode: 'HTML' },
        },
        payload: null,
        renderedText: '<b>Найден кот</b>',
        renderMeta: { format: 'HTML', parts: [{ kind: 'text' }] },
        media: null,
      },
    ]);
  });

  it('names the credential that channel_auth has put in place of the channel’s own', async () => {
    await addChannel(database.admin, workspaceId, 'news', { auth_ref: 'old' });
    await database.admin.query(
      `insert into outrider.channel_auth (workspace_id, channel_id, auth_ref, rotated_at, updated_at)
       values ($1, 'news', 'new', $2, $2)`,
      [workspaceId, start],
    );
    await database.admin.query(
      `insert into outrider.credential_bindings (workspace_id, auth_ref, platform, secret_ref, updated_at)
       values ($1, 'old', 'telegram', 'env:OLD', $2), ($1, 'new', 'telegram', 'file:/run/new', $2)`,
      [workspaceId, start],
    );
    await addDelivery(database.admin, workspaceId, 'news');
    expect(await claim()).toMatchObject([
      { channel: { authRef: 'new', secretRef: 'file:/run/new' } },
    ]);
  });

  it('has no secret where the credential is bound to none', async () => {
    await addChannel(database.admin, workspaceId, 'news');
    await addDelivery(database.admin, workspaceId, 'news');
    expect(await claim()).toMatchObject([{ channel: { authRef: 'bot', secretRef: null } }]);
  });

  it('brings each blob’s origin and the copy that this credential uploaded, no other', async () => {
    await addChannel(database.admin, workspaceId, 'news', { auth_ref: 'bot-a' });
    await database.admin.query(
      `insert into outrider.media_origin
         (workspace_id, blob_ref, origin_url, sha256, content_type, size_bytes, last_seen_at, created_at)
       values ($1, 'cat', 'https://media.example/cat', $3, 'image/jpeg', 2048, $2, $2),
              ($1, 'dog', 'https://media.example/dog', null, null, null, $2, $2)`,
      [workspaceId, start, 'a'.repeat(64)],
    );
    await database.admin.query(
      `insert into outrider.media_blobs
         (workspace_id, blob_ref, provider, auth_ref, file_id, created_at, updated_at)
       values ($1, 'cat', 'telegram', 'bot-a', 'file-of-bot-a', $2, $2),
              ($1, 'cat', 'telegram', 'bot-b', 'file-of-bot-b', $2, $2),
              ($1, 'dog', 'telegram', 'bot-b', 'file-of-bot-b', $2, $2),
              ($1, 'dog', 'max', 'bot-a', 'token-of-max', $2, $2)`,
      [workspaceId, start],
    );
    const media = [
      { kind: 'photo', blob_ref: 'cat' },
      { kind: 'photo', blob_ref: 'dog' },
      { kind: 'photo', blob_ref: 'lost' },
    ];
    const messageId = await addMessage(database.admin, workspaceId, {
      payload: JSON.stringify({ type: 'media', text: '', media }),
    });
    await addDelivery(database.admin, workspaceId, 'news', {
      message_id: messageId,
      render_meta: JSON.stringify({ parts: [{ kind: 'media', media: [0, 1, 2] }] }),
    });

    const [claimed] = await claim();
    expect(claimed?.payload?.['media']).toEqual(media);
    expect(claimed?.media).toMatchObject({
      cat: {
        origin_url: 'https://media.example/cat',
        sha256: 'a'.repeat(64),
        content_type: 'image/jpeg',
        size_bytes: 2048,
        file_id: 'file-of-bot-a',
      },
      dog: { origin_url: 'https://media.example/dog', file_id: null },
      lost: { origin_url: null, file_id: null },
    });
  });

  it('comes again with its acknowledged parts and the mark of an unknown outcome', async () => {
    await addChannel(database.admin, workspaceId, 'news');
    await addDelivery(database.admin, workspaceId, 'news');
    const [first] = await claim();
    if (first === undefined) throw new Error('nothing was claimed');
    await saveProgress(
      database.service,
      { workspaceId, ...first },
      [{ item: 0, providerMessageId: '41' }],
      start,
    );
    const error = { category: 'TRANSIENT', scope: 'delivery', code: 'timeout' } as const;
    await commitOutcomes(database.service, workspaceId, [{ ...first, ok: false, error }], start);
    expect(await claim(after(60))).toMatchObject([
      {
        attempt: 2,
        outcomeUnknown: true,
        renderMeta: { series_progress: { sent_items: [0], provider_message_ids: ['41'] } },
      },
    ]);
  });
});

describe('a claim', () => {
  it('counts the attempt, dates the send and holds the delivery under its token', async () => {
    await addChannel(database.admin, workspaceId, 'news');
    await addDelivery(database.admin, workspaceId, 'news', { attempt: 2 });
    const [claimed] = await claim(after(7));
    expect(
      await rows('deliveries', 'status, attempt, claim_token, claimed_at, sending_started_at'),
    ).toEqual([
      {
        status: 'sending',
        attempt: 3,
        claim_token: claimed?.claimToken,
        claimed_at: '2026-03-02 10:00:07+00',
        sending_started_at: '2026-03-02 10:00:07+00',
      },
    ]);
  });

  it('writes a send_attempt with the trace, the run and the idempotency key', async () => {
    await addChannel(database.admin, workspaceId, 'news');
    const deliveryId = await addDelivery(database.admin, workspaceId, 'news');
    const [claimed] = await claim(after(7));
    expect(
      await rows(
        'events',
        'delivery_id, message_id, channel_id, ts, action, attempt, result, error, meta',
      ),
    ).toEqual([
      {
        delivery_id: deliveryId,
        message_id: claimed?.messageId,
        channel_id: 'news',
        ts: '2026-03-02 10:00:07+00',
        action: 'send_attempt',
        attempt: 1,
        result: 'ok',
        error: null,
        meta: {
          trace_id: `trace-${deliveryId}`,
          run_id: 'run-1',
          idempotency_key: deliveryId,
        },
      },
    ]);
  });

  it('writes one lease for each channel, to last as long as the workspace says', async () => {
    await database.admin.query(
      `update outrider.workspace_settings set sending_lease = '20 seconds' where workspace_id = $1`,
      [workspaceId],
    );
    await addChannel(database.admin, workspaceId, 'a');
    await addChannel(database.admin, workspaceId, 'b');
    await addBacklog(database.admin, workspaceId, ['a', 'b'], 3);
    const claimed = await claim();
    const leases = ['a', 'b'].map((channelId) => ({
      channel_id: channelId,
      claim_token: claimed[0]?.claimToken,
      run_id: 'run-1',
      lease_until: '2026-03-02 10:00:20+00',
      lease_length: '00:00:20',
      open_count: 3,
      delivery_ids: expect.toSatisfy(
        (ids: string[]) =>
          ids.toSorted().join() ===
          claimed
            .filter((each) => each.channel.channelId === channelId)
            .map((each) => each.deliveryId)
            .toSorted()
            .join(),
      ),
    }));
    const columns =
      'channel_id, claim_token, run_id, lease_until, lease_length, open_count, delivery_ids';
    expect(await rows('leases', columns)).toEqual(expect.arrayContaining(leases));
    expect(claimed).toHaveLength(6);
  });

  it('has a token of its own that no other claim shares', async () => {
    await addChannel(database.admin, workspaceId, 'news');
    await addBacklog(database.admin, workspaceId, ['news'], 6);
    const claims = [await claim(start, 2), await claim(start, 2), await claim(start, 2)];
    const tokens = claims.map((batch) => new Set(batch.map((each) => each.claimToken)));
    expect(tokens.map((each) => each.size)).toEqual([1, 1, 1]);
    expect(new Set(tokens.flatMap((each) => [...each])).size).toBe(3);
  });

  it('gives nothing, and no error, in an empty workspace', async () => {
    expect(await claim()).toEqual([]);
    await addChannel(database.admin, workspaceId, 'news');
    expect(await claim()).toEqual([]);
  });

  it('never hands out a delivery that has its provider id', async () => {
    await addChannel(database.admin, workspaceId, 'news');
    await addDelivery(database.admin, workspaceId, 'news');
    const [first] = await claim();
    if (first === undefined) throw new Error('nothing was claimed');
    const outcome = { ...first, ok: true, providerMessageId: '42' } as const;
    await commitOutcomes(database.service, workspaceId, [outcome], start);
    expect(await claim(after(86_400))).toEqual([]);
    const again = database.admin.query(
      `update outrider.deliveries set status = 'retry', next_retry_at = $2 where workspace_id = $1`,
      [workspaceId, start],
    );
    await expect(again).rejects.toMatchObject({
      constraint: 'sent_has_its_time_and_provider_id_and_no_other_does',
    });
  });
});
