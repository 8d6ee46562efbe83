// What becomes of sources when 01_ingest is run.

import { z } from 'zod';
import { woken } from './ends.ts';
import { once, only, rowOf, type Scene } from './scene.ts';
import { failed, type Row } from './ways.ts';

/** A source of two chunks, one that fails, one of another puller, and one that the gateway is not asked for any more. */
export function sources(): Scene {
  const rows = ['two chunks', 'fails', 'not taken', 'away'].map((name) => {
    const { workspace_id, claim_token } = rowOf('w1', name);
    return { workspace_id, source_id: name, lease_token: claim_token, cursor: { at: 0 } };
  });
  const answerTo = (row: Row): object => {
    const { workspace_id, source_id, lease_token } = row;
    const ids = { workspace_id, source_id, lease_token };
    if (source_id === 'away') return failed('ECONNREFUSED')();
    if (source_id === 'fails') {
      const body = { ok: false, ...ids, error: 'it answered with 500', retry_after: '1 hour' };
      return { statusCode: 200, body };
    }
    const { at } = z.object({ at: z.int() }).parse(row['cursor']);
    const chunk = {
      items: [{ item_ref: `item ${at}` }],
      cursor_to: { at: at + 1 },
      has_more: at === 0,
      lease: '1 minute',
    };
    return { statusCode: 200, body: { ok: true, ...ids, ...chunk } };
  };
  const left = [...rows];
  return {
    workflow: '01_ingest',
    trigger: 'Every thirty seconds',
    claim: ({ name, args }) => {
      if (name === 'ingest_pull_chunk' && args[1] === 'not taken') return [{ error: {} }];
      return name === 'claim_pull_source' ? left.splice(0, 1) : undefined;
    },
    ask: (route, row) =>
      only(route, `/v1/pull/${encodeURIComponent(String(row['source_id']))}`, answerTo(row)),
    expected: [
      'w1 two chunks token of w1 two chunks taken [{"item_ref":"item 0"}] to {"at":1}',
      woken,
      'w1 two chunks token of w1 two chunks taken [{"item_ref":"item 1"}] to {"at":2}',
      woken,
      'w1 fails token of w1 fails failed: it answered with 500 1 hour',
      'w1 not taken token of w1 not taken taken [{"item_ref":"item 0"}] to {"at":1}',
      'w1 not taken token of w1 not taken failed: the chunk was read, and the database did not take it in null',
      'w1 away token of w1 away released',
    ],
  };
}

/** A source that has more chunks than a run reads. */
export function longSource(mostChunks: number): Scene {
  const { claim_token, workspace_id } = rowOf('w1', 'long');
  const row = { workspace_id, source_id: 'long', lease_token: claim_token, cursor: { at: 0 } };
  const chunkOf = (at: number) => ({ items: [], cursor_to: { at: at + 1 }, lease: '1 minute' });
  const answerTo = ({ cursor, ...ids }: Row): object => {
    const { at } = z.object({ at: z.int() }).parse(cursor);
    return { statusCode: 200, body: { ok: true, ...ids, ...chunkOf(at), has_more: true } };
  };
  return {
    workflow: '01_ingest',
    trigger: 'Every thirty seconds',
    claim: once('claim_pull_source', [row]),
    ask: (route, asked) => only(route, '/v1/pull/long', answerTo(asked)),
    expected: [
      ...Array.from({ length: mostChunks }, (_, at) => [
        `w1 long ${claim_token} taken [] to {"at":${at + 1}}`,
        ...(at === mostChunks - 1 ? [] : [woken]),
      ]).flat(),
      `w1 long ${claim_token} released`,
    ],
  };
}
