/** The known word that a misspelt or shortened one is likely to mean; undefined when none is near. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  return mistyped(word, known) ?? begun(word, known);
}

/** The words there are, such as "there are list, show and requeue". */
export function thereAre(words: readonly string[]): string {
  const [last = '', ...before] = words.toReversed();
  return before.length === 0
    ? `there is ${last}`
    : `there are ${before.toReversed().join(', ')} and ${last}`;
}

function begun(word: string, known: readonly string[]): string | undefined {
  const [only, ...more] = known.filter((each) => word.length > 1 && each.startsWith(word));
  return more.length === 0 ? only : undefined;
}

function mistyped(word: string, known: readonly string[]): string | undefined {
  const [best] = known
    .map((each) => ({ each, steps: distance(word.toLowerCase(), each.toLowerCase()) }))
    .filter(({ each, steps }) => steps <= Math.max(1, Math.floor(each.length / 3)))
    .toSorted((a, b) => a.steps - b.steps);
  return best?.each;
}

/** How many letters to insert, remove, replace or exchange with their neighbour. */
function distance(from: string, to: string): number {
  let earlier: number[] = [];
  let previous = Array.from({ length: to.length + 1 }, (_, n) => n);
  for (let i = 1; i <= from.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= to.length; j += 1) {
      const same = from[i - 1] === to[j - 1];
      const exchanged = i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1];
      row[j] = Math.min(
        at(previous, j) + 1,
        at(row, j - 1) + 1,
        at(previous, j - 1) + (same ? 0 : 1),
        exchanged ? at(earlier, j - 2) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    [earlier, previous] = [previous, row];
  }
  return at(previous, to.length);
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? Number.POSITIVE_INFINITY;
}
