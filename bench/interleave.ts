/**
 * Runs every entry once in each repetition, and starts with the next entry each time. So slow minutes of the machine,
 * and effects of the entry before, hit all entries alike.
 */
export async function interleave<Entry, Result>(
  entries: readonly Entry[],
  repetitions: number,
  run: (entry: Entry, repetition: number) => Promise<Result>,
): Promise<Map<Entry, Result[]>> {
  const results = new Map(entries.map((entry) => [entry, [] as Result[]]));
  for (let repetition = 0; repetition < repetitions; repetition += 1) {
    const first = repetition % entries.length;
    for (const entry of [...entries.slice(first), ...entries.slice(0, first)]) {
      results.get(entry)?.push(await run(entry, repetition));
    }
  }
  return results;
}
