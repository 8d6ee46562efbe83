// Two texts, line by line: what one has and the other has not.

export interface DiffLine {
  readonly sign: ' ' | '-' | '+';
  readonly text: string;
}

export function diffOf(before: string, after: string): DiffLine[] {
  const [old, now] = [before.split('\n'), after.split('\n')];
  const common = commonLengths(old, now);
  const lines: DiffLine[] = [];
  let [i, j] = [0, 0];
  while (i < old.length || j < now.length) {
    const [left, right] = [old[i], now[j]];
    if (left !== undefined && left === right) {
      lines.push({ sign: ' ', text: left });
      i += 1;
      j += 1;
    } else if (left !== undefined && lengthAt(common, i + 1, j) >= lengthAt(common, i, j + 1)) {
      lines.push({ sign: '-', text: left });
      i += 1;
    } else {
      lines.push({ sign: '+', text: right ?? '' });
      j += 1;
    }
  }
  return lines;
}

/** How many lines the rests of both texts have in common, from each pair of places on. */
function commonLengths(old: readonly string[], now: readonly string[]): number[][] {
  const common = Array.from({ length: old.length + 1 }, () =>
    Array.from({ length: now.length + 1 }, () => 0),
  );
  for (let i = old.length - 1; i >= 0; i -= 1) {
    const row = common[i] ?? [];
    for (let j = now.length - 1; j >= 0; j -= 1) {
      row[j] =
        old[i] === now[j]
          ? lengthAt(common, i + 1, j + 1) + 1
          : Math.max(lengthAt(common, i + 1, j), lengthAt(common, i, j + 1));
    }
  }
  return common;
}

function lengthAt(common: readonly (readonly number[])[], i: number, j: number): number {
  return common[i]?.[j] ?? -1;
}
