// Does the work of one key one piece after the other, in the order in which it was asked for. Work of other keys does not wait.

export type InOrder = <Result>(key: string, work: () => Promise<Result>) => Promise<Result>;

export function createInOrder(): InOrder {
  const last = new Map<string, Promise<unknown>>();
  return async (key, work) => {
    const before = last.get(key) ?? Promise.resolve();
    const done = before.then(work, work);
    last.set(key, done);
    try {
      return await done;
    } finally {
      if (last.get(key) === done) last.delete(key);
    }
  };
}
