export interface Ordered {
  readonly key: string;
  readonly name: string;
  /** Keys of what must come first; keys that no item has are ignored. */
  readonly needs: readonly string[];
}

/** By name, but everything after what it needs. */
export function inDependencyOrder<Item extends Ordered>(items: readonly Item[]): Item[] {
  const byName = items.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const known = new Map(byName.map((item) => [item.key, item]));
  const placed = new Set<Item>();
  const entered = new Set<Item>();
  const place = (item: Item): void => {
    if (entered.has(item)) return;
    entered.add(item);
    const needed = item.needs.flatMap((key) => known.get(key) ?? []);
    for (const each of needed.toSorted((a, b) => (a.name < b.name ? -1 : 1))) place(each);
    placed.add(item);
  };
  for (const item of byName) place(item);
  return [...placed];
}
