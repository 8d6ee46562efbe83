import { beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { queryRow } from '../../src/db/query-rows.ts';
import { addNewWorkspace } from '../support/database/seed.ts';
import { useDatabase } from '../support/fixtures/database.ts';

const database = await useDatabase();
let workspaceId: string;

beforeEach(async () => {
  await addFresh();
});

async function addFresh(settings: Record<string, unknown> = {}): Promise<void> {
  workspaceId = await addNewWorkspace(database, settings);
}

/** The policy itself, with its randomness given; `waited` is null after an attempt that counts. */
async function delayOf(
  attempt: number,
  waited: string | null,
  cause: string | null,
  retryAfterMs: number | null,
  random: number,
): Promise<number> {
  const found = await queryRow(
    database.admin,
    z.object({ seconds: z.number() }),
    `select extract(epoch from outrider.retry_delay(s, $2, $3, $4, $5, $6))::float8 as seconds
     from outrider.workspace_settings s where s.workspace_id = $1`,
    [workspaceId, attempt, waited, cause, retryAfterMs, random],
  );
  return found.seconds;
}

/** After an attempt that counts. */
function delay(
  attempt: number,
  cause: string | null,
  retryAfterMs: number | null,
  random: number,
): Promise<number> {
  return delayOf(attempt, null, cause, retryAfterMs, random);
}

/** After an answer that only asks to wait. */
function pause(waited: string, retryAfterMs: number | null, random: number): Promise<number> {
  return delayOf(7, waited, 'pace', retryAfterMs, random);
}

describe('the wait before a retry', () => {
  it.each([
    [1, 2],
    [2, 4],
    [3, 8],
    [4, 16],
    [5, 32],
  ])('after attempt %i is %i s, give or take a fifth', async (attempt, seconds) => {
    expect(await delay(attempt, 'outage', null, 0)).toBeCloseTo(seconds * 0.8, 6);
    expect(await delay(attempt, 'outage', null, 0.5)).toBeCloseTo(seconds, 6);
    expect(await delay(attempt, 'outage', null, 1)).toBeCloseTo(seconds * 1.2, 6);
  });

  it('grows to ten minutes and never beyond', async () => {
    expect(await delay(9, 'outage', null, 0.5)).toBe(512);
    for (const attempt of [10, 11, 50, 1000]) {
      expect(await delay(attempt, 'outage', null, 0.5)).toBe(600);
      expect(await delay(attempt, 'outage', null, 1)).toBeLessThanOrEqual(600);
    }
  });

  it.each([3000, 86_400_000])(
    'is the %i ms that the provider asked for, in full, plus up to a fifth, and however often it asks',
    async (milliseconds) => {
      const seconds = milliseconds / 1000;
      for (const waited of ['0 seconds', '3 seconds', '20 hours']) {
        expect(await pause(waited, milliseconds, 0)).toBeCloseTo(seconds, 6);
        expect(await pause(waited, milliseconds, 0.5)).toBeCloseTo(seconds * 1.1, 6);
        expect(await pause(waited, milliseconds, 1)).toBeCloseTo(seconds * 1.2, 6);
      }
    },
  );

  it.each([1, 900, 2000])('is the base when the provider asks for %i ms', async (milliseconds) => {
    expect(await pause('0 seconds', milliseconds, 0)).toBe(2);
    expect(await pause('1 hour', milliseconds, 0)).toBe(2);
    expect(await pause('1 hour', milliseconds, 1)).toBeCloseTo(2.4, 6);
  });

  it.each([null, 0])(
    'doubles with what was waited when the provider asks for no time: %s',
    async (milliseconds) => {
      let waited = 0;
      for (const seconds of [2, 4, 8, 16, 32, 64, 128, 256, 512, 600, 600]) {
        expect(await pause(`${waited} seconds`, milliseconds, 0.5)).toBeCloseTo(seconds, 6);
        waited += seconds;
      }
      expect(await pause('0 seconds', milliseconds, 0)).toBeCloseTo(1.6, 6);
      expect(await pause('0 seconds', milliseconds, 1)).toBeCloseTo(2.4, 6);
    },
  );

  it('after an attempt that counts is the longer of what was asked for and the backoff', async () => {
    expect(await delay(1, 'outage', 120_000, 0)).toBe(120);
    expect(await delay(1, 'outage', 120_000, 1)).toBeCloseTo(144, 6);
    expect(await delay(4, 'outage', 1000, 0.5)).toBe(16);
    expect(await delay(4, 'outage', 0, 0.5)).toBe(16);
  });

  it('is between one and five seconds for an attachment that is not ready, three times', async () => {
    for (const attempt of [1, 2, 3]) {
      expect(await delay(attempt, 'not_ready', null, 0)).toBe(1);
      expect(await delay(attempt, 'not_ready', null, 0.5)).toBe(3);
      expect(await delay(attempt, 'not_ready', null, 1)).toBe(5);
    }
    expect(await delay(4, 'not_ready', null, 0.5)).toBe(16);
  });

  it('follows the workspace’s own settings', async () => {
    await addFresh({
      backoff_base: '10 seconds',
      backoff_factor: 3,
      backoff_cap: '1 minute',
      backoff_jitter: 0.5,
      not_ready_backoff_min: '2 seconds',
      not_ready_backoff_max: '4 seconds',
    });
    expect(await delay(1, 'outage', null, 0)).toBe(5);
    expect(await delay(2, 'outage', null, 0.5)).toBe(30);
    expect(await delay(3, 'outage', null, 0.5)).toBe(60);
    expect(await pause('0 seconds', 20_000, 1)).toBe(30);
    expect(await pause('0 seconds', 1000, 0)).toBe(10);
    expect(await pause('10 seconds', null, 0.5)).toBe(30);
    expect(await delay(1, 'not_ready', null, 1)).toBe(4);
  });

  it('stays finite for every setting that the table accepts', async () => {
    await addFresh({ backoff_factor: 10, max_attempts: 100 });
    expect(await delay(100, 'outage', null, 0.5)).toBe(600);
    expect(await pause('1000 years', null, 0.5)).toBe(600);
    await expect(addFresh({ backoff_factor: 10.1 })).rejects.toMatchObject({
      constraint: 'backoff_grows_from_a_positive_base_to_its_cap',
    });
  });
});
