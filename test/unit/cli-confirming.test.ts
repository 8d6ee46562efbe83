import { describe, expect, it } from 'vitest';
import { whenDrained } from '../../src/cli/auth/rotate.ts';
import { carriedOut } from '../../src/cli/given/operator.ts';
import type { RotatedChannel } from '../../src/db/operate.ts';
import { recordingTerminal } from '../support/cli/recording-terminal.ts';
import { createManualClock } from '../support/time/manual-clock.ts';

describe('an order', () => {
  const unasked = { 'dry-run': false, yes: false };

  /** An order that would change so many of the things it names; answers with what was called, and what was asked. */
  async function give(
    changes: number,
    {
      answer,
      size,
      options = unasked,
    }: { answer?: string; size?: number; options?: typeof unasked } = {},
  ): Promise<{ calls: string[]; asked: string; error: unknown }> {
    const calls: string[] = [];
    const terminal = recordingTerminal(answer === undefined ? {} : { answer });
    const done = carriedOut(terminal, options, {
      size,
      call: async (dryRun) => {
        calls.push(dryRun ? 'tried' : 'done');
        return Array.from({ length: 50 }, (_, n) => n);
      },
      isChange: (n) => n < changes,
      foretell: (count) => `${count} deliveries would be requeued`,
    });
    const error: unknown = await done.then(
      () => undefined,
      (fault: unknown) => fault,
    );
    return { calls, asked: terminal.asked(), error };
  }

  it('that changes 20 things at most is not asked about', async () => {
    expect(await give(20)).toEqual({ calls: ['tried', 'done'], asked: '', error: undefined });
    expect(await give(20, { size: 20 })).toMatchObject({ calls: ['done'], asked: '' });
  });

  it('that changes more is asked about, with what would change', async () => {
    expect(await give(21, { answer: 'y', size: 50 })).toEqual({
      calls: ['tried', 'done'],
      asked: '21 deliveries would be requeued. Go on? [y/N]\n',
      error: undefined,
    });
    expect(await give(21, { answer: ' Yes ' })).toMatchObject({ calls: ['tried', 'done'] });
  });

  it.each(['', 'n', 'no', 'yesterday'])(
    'is not carried out when the answer is %j',
    async (answer) => {
      expect(await give(21, { answer })).toMatchObject({
        calls: ['tried'],
        error: { name: 'Declined', message: 'nothing was changed' },
      });
    },
  );

  it('is refused, in words, where nobody can be asked', async () => {
    expect(await give(21)).toMatchObject({
      calls: ['tried'],
      error: {
        name: 'UsageError',
        message:
          '21 deliveries would be requeued: say --yes for so many, or look first with --dry-run',
      },
    });
  });

  it('that says --yes is carried out at once', async () => {
    const options = { 'dry-run': false, yes: true };
    expect(await give(50, { options })).toMatchObject({ calls: ['done'], asked: '' });
  });

  it('that is a dry run is never asked about', async () => {
    const options = { 'dry-run': true, yes: false };
    expect(await give(50, { options })).toMatchObject({ calls: ['tried'], asked: '' });
  });
});

describe('a rotation', () => {
  const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  const channel = { channelId: 'a', note: null, sendingUntil: null };
  const busy: RotatedChannel = { ...channel, rotated: false, sending: 2 };
  const done: RotatedChannel = { ...channel, rotated: true, sending: 0 };

  it('asks again until what is being sent has ended, and says after a second what it waits for', async () => {
    const clock = createManualClock();
    const terminal = recordingTerminal();
    const answers = [[busy], [busy], [busy], [done]];
    const rotated = whenDrained(terminal, async () => answers.shift() ?? [], clock);
    await settle();
    clock.advance(500);
    await settle();
    expect(terminal.shownProgress()).toBe('');
    clock.advance(500);
    await settle();
    expect(terminal.shownProgress()).toBe(
      'waiting for what these channels are sending; they begin nothing new meanwhile …\n',
    );
    clock.advance(500);
    expect(await rotated).toEqual([done]);
  });

  it('does not wait for what no time changes', async () => {
    const refused = { ...busy, sending: 0, note: 'it sends with this credential already' };
    expect(
      await whenDrained(recordingTerminal(), async () => [refused], createManualClock()),
    ).toEqual([refused]);
  });

  it('gives up before the pause of the channels is over', async () => {
    const clock = createManualClock();
    const rotated = whenDrained(recordingTerminal(), async () => [busy], clock);
    for (let n = 0; n < 230; n += 1) {
      await settle();
      clock.advance(500);
    }
    expect(await rotated).toEqual([busy]);
    expect(clock.now()).toBeLessThan(120_000);
    expect(clock.waiting()).toBe(0);
  });
});
