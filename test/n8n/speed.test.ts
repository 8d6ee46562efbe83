import { afterAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { queryRow } from '../../src/db/query-rows.ts';
import { type N8nStage, useN8n } from '../support/fixtures/n8n.ts';
import { type Orchestrated, orchestrate } from '../support/n8n/orchestrated.ts';

// The loop of n8n beside the native one, on the same work in one run. It prints what it measures, and asserts no speed.

const posts = 100;
const channels = 4;

const Span = z.object({ seconds: z.number(), median_ms: z.number(), p95_ms: z.number() });
type Span = z.output<typeof Span>;

/** From the first claim to the last commit, and from a push to its commit. */
function measured({ database }: N8nStage, workspaceId: string): Promise<Span> {
  return queryRow(
    database.admin,
    Span,
    `select
       extract(epoch from max(sent_at) - min(claimed.ts))::double precision as seconds,
       percentile_cont(0.5) within group (order by extract(epoch from sent_at - created_at) * 1000) as median_ms,
       percentile_cont(0.95) within group (order by extract(epoch from sent_at - created_at) * 1000) as p95_ms
     from outrider.deliveries
     cross join (
       select min(ts) as ts from outrider.events where workspace_id = $1 and action = 'send_attempt'
     ) claimed
     where workspace_id = $1`,
    [workspaceId],
  );
}

interface Speed {
  readonly name: string;
  /** How many posts each chat shows of the backlog. */
  readonly shown: readonly number[];
  readonly perSecond: number;
  readonly medianMs: number;
  readonly p95Ms: number;
}

type Push = (city: Orchestrated, text: string) => Promise<unknown>;

/** A backlog that is sent as fast as it goes, and then posts one by one on an idle system. */
async function measure(stage: N8nStage, name: string, push: Push): Promise<Speed> {
  const settings = { claim_per_channel: 1000 };
  const backlog = await orchestrate(stage, { counts: { telegram: channels }, settings });
  await backlog.enqueue(Array.from({ length: posts }, (_, n) => `Post ${n}`));
  await untilSent(backlog, posts * channels);
  const shown = Object.values(backlog.shown()).map((texts) => texts.length);
  const { seconds } = await measured(stage, backlog.workspaceId);

  const single = await orchestrate(stage, { counts: { telegram: 1 } });
  for (let n = 1; n <= 10; n += 1) {
    await push(single, `Alone ${n}`);
    await untilSent(single, n);
  }
  const alone = await measured(stage, single.workspaceId);
  const perSecond = (posts * channels) / seconds;
  return { name, shown, perSecond, medianMs: alone.median_ms, p95Ms: alone.p95_ms };
}

async function untilSent(city: Orchestrated, count: number): Promise<void> {
  const sent = async (): Promise<number> =>
    (await city.deliveries()).filter(({ status }) => status === 'sent').length;
  await expect.poll(sent, { interval: 50 }).toBe(count);
}

const throughN8n: Push = (city, text) => city.push({ text });
const speeds: Speed[] = [];
const whole = Array.from({ length: channels }, () => posts);

afterAll(() => {
  const native = speeds.find(({ name }) => name === 'native');
  for (const { name, perSecond, medianMs, p95Ms } of speeds) {
    const slower = (native?.perSecond ?? Number.NaN) / perSecond;
    const later = medianMs / (native?.medianMs ?? Number.NaN);
    const speed = `${perSecond.toFixed(1)} deliveries/s (1/${slower.toFixed(0)} of native)`;
    const latency = `a post alone is sent after ${medianMs.toFixed(0)} ms, p95 ${p95Ms.toFixed(0)} ms`;
    process.stdout.write(`${name}: ${speed}; ${latency} (${later.toFixed(0)} times native)\n`);
  }
});

describe('the loop of n8n beside the native one', async () => {
  const stage = await useN8n();

  it('sends the backlog and single posts: n8n as it comes', async () => {
    speeds.push(await measure(stage, 'n8n, as it comes', throughN8n));
    expect(speeds.at(-1)?.shown).toEqual(whole);
  });

  it('sends the same with its earlier expression engine', async () => {
    await stage.kill();
    await stage.start({ expressionEngine: 'legacy' });
    speeds.push(await measure(stage, 'n8n, legacy expressions', throughN8n));
    expect(speeds.at(-1)?.shown).toEqual(whole);
  });

  it('is measured beside the native dispatcher on the same work', async () => {
    await stage.kill();
    const native = await stage.openNative();
    try {
      await native.start(['dispatch']);
      const push: Push = ({ workspaceId }, text) => native.enqueue(workspaceId, { text });
      speeds.push(await measure(stage, 'native', push));
    } finally {
      await native.stop();
    }
    expect(speeds.at(-1)?.shown).toEqual(whole);
  });
});
