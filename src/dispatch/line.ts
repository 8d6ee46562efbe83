// Items that wait for their turn. Each workspace has a line of its own and the lines take turns, so a workspace with
// many items does not delay the others. Within a line, the first to come is the first to go.

export interface Line<Item> {
  add(workspaceId: string, item: Item): void;
  /** Takes the next item of the workspaces that may go; undefined when there is none. */
  take(mayGo: (workspaceId: string) => boolean): Item | undefined;
  /** Takes all items for which `leaves` says yes. */
  takeAll(leaves: (item: Item) => boolean): Item[];
  /** Of one workspace or of all. */
  length(workspaceId?: string): number;
  /** How many workspaces take turns, this one included. */
  turnsWith(workspaceId: string): number;
}

export function createLine<Item>(): Line<Item> {
  /** In the order of their turns. */
  const lines = new Map<string, Item[]>();
  let total = 0;

  return {
    add(workspaceId, item) {
      total += 1;
      const line = lines.get(workspaceId);
      if (line === undefined) lines.set(workspaceId, [item]);
      else line.push(item);
    },
    take(mayGo) {
      for (const [workspaceId, line] of lines) {
        if (!mayGo(workspaceId)) continue;
        const item = line.shift();
        total -= 1;
        const isLastOfIts = line.length === 0;
        if (isLastOfIts || lines.size > 1) lines.delete(workspaceId);
        if (!isLastOfIts) lines.set(workspaceId, line); // behind the others
        return item;
      }
      return undefined;
    },
    takeAll(leaves) {
      const taken: Item[] = [];
      for (const [workspaceId, line] of lines) {
        const staying = line.filter((item) => !leaves(item));
        if (staying.length === line.length) continue;
        taken.push(...line.filter(leaves));
        if (staying.length > 0) lines.set(workspaceId, staying);
        else lines.delete(workspaceId);
      }
      total -= taken.length;
      return taken;
    },
    length: (workspaceId) =>
      workspaceId === undefined ? total : (lines.get(workspaceId)?.length ?? 0),
    turnsWith: (workspaceId) => lines.size + (lines.has(workspaceId) ? 0 : 1),
  };
}
