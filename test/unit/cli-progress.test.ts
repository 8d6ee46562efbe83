import { describe, expect, it } from 'vitest';
import { createPassingLine } from '../../src/cli/screen/passing-line.ts';
import { type Tell, withProgress } from '../../src/cli/screen/progress.ts';
import { recordingTerminal } from '../support/cli/recording-terminal.ts';
import { createManualClock } from '../support/time/manual-clock.ts';

describe('long work', () => {
  /** The passing lines that a piece of work makes, which moves the clock itself. */
  async function shownWhile(
    work: (tell: Tell, advance: (ms: number) => void) => void,
  ): Promise<string[]> {
    const clock = createManualClock();
    const terminal = recordingTerminal();
    await withProgress(terminal, async (tell) => work(tell, (ms) => clock.advance(ms)), clock);
    expect(clock.waiting()).toBe(0);
    expect(`${terminal.printed()}${terminal.printedErrors()}`).toBe('');
    return terminal.shownProgress().split('\n').slice(0, -1);
  }

  it('says how much is done, how fast it goes and how long it takes, and leaves nothing behind', async () => {
    const lines = await shownWhile((tell, advance) => {
      tell('requeued', 0, 5000);
      advance(500);
      tell('requeued', 1000, 5000);
      advance(500);
      tell('requeued', 2000, 5000);
      advance(1000);
    });
    expect(lines).toEqual([
      '~requeued: 1,000 of 5,000 · 1,000/s · 4 s left',
      '~requeued: 2,000 of 5,000 · 1,000/s · 3 s left',
      '~',
    ]);
  });

  it('says what is known where the total is not', async () => {
    const lines = await shownWhile((tell, advance) => {
      tell('rows deleted', 0);
      advance(1000);
      tell('rows deleted', 5);
      advance(1000);
    });
    expect(lines).toEqual(['~rows deleted: 0', '~rows deleted: 5 · 2.5/s', '~']);
  });

  it('says nothing in its first second', async () => {
    expect(
      await shownWhile((tell, advance) => {
        tell('requeued', 10, 20);
        advance(999);
      }),
    ).toEqual([]);
  });

  it('measures each stage by itself', async () => {
    const lines = await shownWhile((tell, advance) => {
      tell('migrations', 20, 20);
      advance(1500);
      tell('functions', 0, 100);
      advance(500);
      tell('functions', 50, 100);
      advance(1000);
    });
    expect(lines.at(-2)).toBe('~functions: 50 of 100 · 33/s · 2 s left');
  });
});

describe('a passing line', () => {
  function written(
    columns: number,
    act: (line: ReturnType<typeof createPassingLine>) => void,
  ): string {
    let text = '';
    act(createPassingLine({ columns, write: (piece) => void (text += piece) }));
    return text;
  }

  it('takes the place of the one before, and goes when something else is printed', () => {
    expect(
      written(80, (line) => {
        line.show('one');
        line.show('two');
        line.clear();
        line.clear();
      }),
    ).toBe('\r\u001b[Kone\r\u001b[Ktwo\r\u001b[K');
  });

  it('is cut to the terminal, because one that wraps could not be taken away', () => {
    expect(written(10, (line) => line.show('a long line of words'))).toBe('\r\u001b[Ka long l…');
  });

  it('has nothing that a terminal would obey', () => {
    expect(written(80, (line) => line.show('x\u001b[2J'))).toBe('\r\u001b[Kx\\u001b[2J');
  });
});
