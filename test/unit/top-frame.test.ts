import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { graphemesOf, widthOf } from '../../src/cli/screen/shown-text.ts';
import { cellsOf, type Line } from '../../src/cli/top/cells.ts';
import { changeOf, type Frame } from '../../src/cli/top/frame.ts';
import { createSmallTerminal } from '../support/cli/small-terminal.ts';

const width = 20;

function frameOf(...lines: (string | Line)[]): Frame {
  return lines.map((line) =>
    cellsOf(typeof line === 'string' ? { pieces: [{ text: line }] } : line, {
      width,
      hasColours: true,
    }),
  );
}

const ownWidth = (grapheme: string): number => graphemesOf(grapheme)[0]?.width ?? 0;

/** A terminal that has been shown these frames, one after the other. */
function shown(frames: readonly Frame[], widthIn = ownWidth) {
  const terminal = createSmallTerminal(width, frames[0]?.length ?? 1, widthIn);
  for (const [n, frame] of frames.entries()) terminal.write(changeOf(frames[n - 1], frame));
  return terminal;
}

const characters = [
  'a',
  'b',
  ' ',
  '7',
  'Ж',
  'ё',
  '猫',
  'ポ',
  '한',
  '🐕',
  '👨‍👩‍👧',
  '❤️',
  'e\u0301',
  '\u0301',
  '\u200b',
  '\u001b',
  '[',
  '2',
  'J',
  '\u0007',
  '\u202e',
  '\n',
  '\u009b',
  '\ufeff',
  '🇷🇺',
  'ﻻ',
  '\u00ad',
];
const texts = fc.string({ unit: fc.constantFrom(...characters), maxLength: 30 });

const screens = fc.array(
  fc.array(
    fc.record({
      pieces: fc.array(
        fc.record({
          text: texts,
          colour: fc.constantFrom('red' as const, 'bold' as const, undefined),
        }),
        { maxLength: 3 },
      ),
      isChosen: fc.boolean(),
    }),
    { minLength: 4, maxLength: 4 },
  ),
  { minLength: 1, maxLength: 5 },
);

describe('a frame', () => {
  it('is on the screen after any frames before it, cell by cell, whatever the texts hold', () => {
    fc.assert(
      fc.property(screens, (made) => {
        const frames = made.map((lines) => frameOf(...lines));
        const terminal = shown(frames);
        const last = frames.at(-1) ?? [];
        expect(terminal.lines()).toEqual(
          last.map((cells) =>
            cells
              .map((each) => each.text)
              .join('')
              .trimEnd(),
          ),
        );
        const styles = last.map((cells, row) =>
          cells.map((cell, column) =>
            cell.text === '' ? cell.style : terminal.styleAt(row, column),
          ),
        );
        expect(styles).toEqual(last.map((cells) => cells.map((each) => each.style)));
      }),
    );
  });

  it('writes nothing when nothing has changed', () => {
    const frame = frameOf('queue 12', 'news open');
    expect(changeOf(frame, frameOf('queue 12', 'news open'))).toBe('');
  });

  it('writes the cells that changed, in one piece that is shown at once', () => {
    const change = changeOf(frameOf('queue 12 due', 'news'), frameOf('queue 13 due', 'news'));
    expect(change).toBe('\u001b[?2026h\u001b[1;8H3\u001b[?2026l');
  });

  it('clears the rest of a line with one sequence', () => {
    const change = changeOf(frameOf('a long error text'), frameOf('a'));
    expect(change).toBe('\u001b[?2026h\u001b[1;2H\u001b[K\u001b[?2026l');
  });

  it('is drawn anew when the size has changed', () => {
    expect(changeOf(frameOf('one'), frameOf('one', 'two'))).toContain('\u001b[2J');
  });

  it('keeps its columns on a terminal that takes emoji for narrow and leaves no rest of what was there', () => {
    const narrow = (grapheme: string): number =>
      /\p{Emoji_Presentation}|\ufe0f/u.test(grapheme) ? 1 : ownWidth(grapheme);
    const terminal = shown([frameOf('xxxxxxxx| open'), frameOf('a❤️b🐕 c| open')], narrow);
    expect(terminal.lines()[0]?.slice(-6)).toBe('| open');
    expect(terminal.lines()[0]).not.toContain('x');
  });
});

describe('a line', () => {
  it('has exactly the width of the screen, however wide its characters are', () => {
    fc.assert(
      fc.property(texts, fc.integer({ min: 0, max: 12 }), (text, columns) => {
        expect(cellsOf({ pieces: [{ text }] }, { width: columns, hasColours: true })).toHaveLength(
          columns,
        );
      }),
    );
  });

  it('cuts no wide character in two', () => {
    const cells = cellsOf({ pieces: [{ text: 'abc猫' }] }, { width: 4, hasColours: true });
    expect(cells.map((each) => each.text)).toEqual(['a', 'b', 'c', ' ']);
  });

  it('has bold and inverted text and no colours where colours are off', () => {
    const line: Line = {
      pieces: [
        { text: 'a', colour: 'red' },
        { text: 'b', colour: 'bold' },
      ],
      isChosen: true,
    };
    const styles = cellsOf(line, { width: 2, hasColours: false }).map((each) => each.style);
    expect(styles).toEqual(['7', '7;1']);
  });

  it.each([
    ['Бим', 3],
    ['ポチ', 4],
    ['e\u0301', 1],
    ['한국', 4],
    ['👨‍👩‍👧', 2],
    ['ㄅ', 2],
    ['a\u200bb', 2],
    ['ｱ', 1],
  ])('takes %s to be %i columns wide', (text, columns) => {
    expect(widthOf(text)).toBe(columns);
  });
});
