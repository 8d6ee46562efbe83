import { describe, expect, it } from 'vitest';
import { createTurns } from '../../src/bot/turns.ts';
import type { Queryable } from '../../src/db/pool.ts';
import { createLog } from '../../src/log.ts';

/** A database in which a turn ends when the test says so. */
function slowDatabase() {
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const client: Queryable = {
    async query(config: unknown) {
      const values = typeof config === 'object' && config !== null && 'values' in config;
      const [workspaceId, , chatId] = values && Array.isArray(config.values) ? config.values : [];
      const name = `${workspaceId} ${chatId}`;
      begun.push(name);
      await new Promise<void>((resolve) => ends.set(name, resolve));
      const row = { verdict: 'silent', reply_id: null, rule_id: null, rule_version: null };
      return { rows: [{ ...row, state_before: 'a', state_after: 'a', why: 'a' }] };
    },
  };
  return { client, begun, end: (name: string) => ends.get(name)?.() };
}

const log = createLog({ level: 'error', pretty: false, write: () => undefined });
const update = (workspaceId: string, chatId: string) => ({
  workspaceId,
  provider: 'max',
  chatId,
  providerMessageId: 'm',
});

describe('turns', () => {
  it('of a workspace that is slow leave room for others', async () => {
    const { client, begun, end } = slowDatabase();
    const turns = createTurns({ client, log, atOnce: 2, onReply: () => undefined });
    for (const chat of ['1', '2', '3']) turns.add(update('slow', chat));
    expect(begun).toEqual(['slow 1']);
    turns.add(update('quick', '1'));
    expect(begun).toEqual(['slow 1', 'quick 1']);
    for (const name of ['quick 1', 'slow 1', 'slow 2', 'slow 3']) {
      end(name);
      await new Promise(setImmediate);
    }
    await turns.idle();
    expect(begun).toEqual(['slow 1', 'quick 1', 'slow 2', 'slow 3']);
  });

  it('are done for one workspace after the other', async () => {
    const { client, begun, end } = slowDatabase();
    const turns = createTurns({ client, log, atOnce: 1, onReply: () => undefined });
    for (const chat of ['1', '2', '3']) turns.add(update('a', chat));
    for (const workspace of ['b', 'c']) turns.add(update(workspace, '1'));
    for (let n = 0; n < 5; n++) {
      end(begun.at(-1) ?? '');
      await new Promise(setImmediate);
    }
    await turns.idle();
    expect(begun).toEqual(['a 1', 'a 2', 'b 1', 'c 1', 'a 3']);
  });

  it('of a chat are done one after the other, in their order', async () => {
    const { client, begun, end } = slowDatabase();
    const turns = createTurns({ client, log, atOnce: 4, onReply: () => undefined });
    turns.add(update('a', '1'));
    turns.add(update('a', '1'));
    expect(begun).toEqual(['a 1']);
    end('a 1');
    await new Promise(setImmediate);
    expect(begun).toEqual(['a 1', 'a 1']);
    end('a 1');
    await turns.idle();
  });
});
