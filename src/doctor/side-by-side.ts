// Works on several items at the same time, but not on all: a workspace may have a thousand channels.

export async function sideBySide<Item, Result>(
  items: readonly Item[],
  atOnce: number,
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  // All workers take from this one iterator, so each item has one worker.
  const entries = items.entries();
  const worker = async (): Promise<void> => {
    for (const [index, item] of entries) results[index] = await work(item);
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, worker));
  return results;
}

/** How many questions are under way at once. */
const questionsAtOnce = 8;

/** Asks about each item; returns the answers by the keys of the items. */
export async function byKey<Item, Answer>(
  items: readonly Item[],
  key: (item: Item) => string,
  ask: (item: Item) => Promise<Answer>,
): Promise<Map<string, Answer>> {
  const entries = await sideBySide(items, questionsAtOnce, async (item) => {
    return [key(item), await ask(item)] as const;
  });
  return new Map(entries);
}
