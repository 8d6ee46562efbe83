// Tables in the order that foreign keys need.

interface Reference {
  readonly table: string;
  readonly target: string;
}

/** What others refer to comes first; otherwise by name. */
export function inOrderOfKeys(names: Iterable<string>, references: readonly Reference[]): string[] {
  const waiting = new Set([...names].toSorted());
  const placed: string[] = [];
  while (waiting.size > 0) {
    const ready = [...waiting].filter((name) =>
      references.every(
        ({ table, target }) => table !== name || target === name || !waiting.has(target),
      ),
    );
    if (ready.length === 0) throw new Error(`${[...waiting].join(', ')} refer to one another`);
    placed.push(...ready);
    for (const name of ready) waiting.delete(name);
  }
  return placed;
}
