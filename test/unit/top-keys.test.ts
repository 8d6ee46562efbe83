import { describe, expect, it } from 'vitest';
import { createKeyReader, type Key } from '../../src/cli/top/keys.ts';
import { createManualClock } from '../support/time/manual-clock.ts';

/** The keys that come out of these pieces; a number is a pause in milliseconds. */
function keysOf(...pieces: (string | number)[]): string[] {
  const clock = createManualClock();
  const keys: Key[] = [];
  const take = createKeyReader(clock, (key) => void keys.push(key));
  for (const each of pieces) {
    if (typeof each === 'number') clock.advance(each);
    else take(each);
  }
  return keys.map((key) => ('name' in key ? key.name : key.typed));
}

describe('keys', () => {
  it.each([
    [
      '\u001b[A\u001bOB\u001b[5~\u001b[6~\u001b[Z',
      ['up', 'down', 'page_up', 'page_down', 'back_tab'],
    ],
    ['q?/ж🐕', ['q', '?', '/', 'ж', '🐕']],
    ['\r\t\u007f\u0003\u0015', ['enter', 'tab', 'backspace', 'ctrl_c', 'ctrl_u']],
    ['\u001b[1;5Aq', ['q']], // a sequence that nobody knows
    ['\u0001\u0002q', ['q']],
  ])('are read out of %j', (text, names) => {
    expect(keysOf(text)).toEqual(names);
  });

  it('are whole although a slow line brings their bytes one by one', () => {
    expect(keysOf('\u001b', 100, '[', 100, '5', 100, '~', 'q')).toEqual(['page_up', 'q']);
  });

  it('have Escape alone among them once nothing has followed it', () => {
    expect(keysOf('\u001b', 149)).toEqual([]);
    expect(keysOf('\u001b', 150)).toEqual(['escape']);
    expect(keysOf('\u001b', 'q')).toEqual(['escape', 'q']);
    expect(keysOf('\u001b\u001b', 150)).toEqual(['escape', 'escape']);
  });
});
