// A terminal that knows the sequences which `outrider top` writes, and no others: what it shows is judged by its own rules,
// and whatever else is written to it is a fault.

export interface SmallTerminal {
  write(text: string): void;
  /** What is to be seen, line by line, without blanks at the end. */
  lines(): string[];
  /** How the cell looks, by the numbers of the last style sequence. */
  styleAt(row: number, column: number): string;
}

interface Cell {
  text: string;
  style: string;
}

const sequence = /^\u001b\[(\?)?([\d;]*)([A-Za-z])/; // oxlint-disable-line no-control-regex -- what it reads

/** `widthOf` is how wide this terminal takes a character to be. */
export function createSmallTerminal(
  columns: number,
  rows: number,
  widthOf: (grapheme: string) => number,
): SmallTerminal {
  const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });
  const blank = (): Cell => ({ text: ' ', style: '' });
  const cells = Array.from({ length: rows }, () => Array.from({ length: columns }, blank));
  let [row, column, style] = [0, 0, ''];

  function obey(isPrivate: boolean, numbers: string, letter: string): void {
    const [first = 1, second = 1] = numbers.split(';').map((each) => Number(each || '1'));
    if (isPrivate && /^(2026|1049|25|7)$/.test(numbers)) return;
    if (letter === 'H') [row, column] = [first - 1, second - 1];
    else if (letter === 'G') column = first - 1;
    else if (letter === 'm') style = numbers.replace(/^0;?/, '');
    else if (letter === 'K') cells[row]?.fill({ text: ' ', style }, column);
    else if (letter === 'J' && numbers === '2') for (const each of cells) each.fill(blank());
    else throw new Error(`unknown sequence: ${numbers}${letter}`);
    if (row < 0 || row >= rows || column < 0 || column >= columns) {
      throw new Error(`the cursor is at ${row + 1};${column + 1}`);
    }
  }

  function put(grapheme: string): void {
    const line = cells[row];
    const width = widthOf(grapheme);
    if (line === undefined || width === 0) return;
    // What is overwritten in part is gone as a whole.
    if (line[column]?.text === '' && column > 0) line[column - 1] = { text: ' ', style };
    const end = column + width;
    if (line[end]?.text === '') line[end] = { text: ' ', style };
    line[column] = { text: grapheme, style };
    if (width === 2) line[column + 1] = { text: '', style };
    column = Math.min(end, columns - 1);
  }

  return {
    write(text) {
      for (let rest = text; rest !== ''; ) {
        const found = sequence.exec(rest);
        if (found !== null) {
          obey(found[1] !== undefined, found[2] ?? '', found[3] ?? '');
          rest = rest.slice(found[0].length);
          continue;
        }
        const end = rest.indexOf('\u001b', 1);
        const plain = end === -1 ? rest : rest.slice(0, end);
        for (const { segment } of segmenter.segment(plain)) {
          if (/\p{Cc}/u.test(segment))
            throw new Error(`control character ${JSON.stringify(segment)}`);
          put(segment);
        }
        rest = rest.slice(plain.length);
      }
    },
    lines: () =>
      cells.map((line) =>
        line
          .map((each) => each.text)
          .join('')
          .trimEnd(),
      ),
    styleAt: (atRow, atColumn) => cells[atRow]?.[atColumn]?.style ?? '',
  };
}
