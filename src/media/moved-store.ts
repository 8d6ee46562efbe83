// A store that was moved: new blobs go to one place, and those of the earlier place are found there for as long as they
// are named. An address says which place it is of, and each place passes over addresses of others.

import type { OriginStore } from './origin-store.ts';

export function movedStore(store: OriginStore, earlier: OriginStore): OriginStore {
  const both = async (act: (each: OriginStore) => Promise<void>): Promise<void> => {
    await act(store);
    await act(earlier);
  };
  return {
    prepare: () => store.prepare(),
    put: (source, limit) => store.put(source, limit),
    open: async (originUrl) => (await store.open(originUrl)) ?? earlier.open(originUrl),
    remove: (originUrl) => both((each) => each.remove(originUrl)),
    async *list() {
      yield* store.list();
      yield* earlier.list();
    },
    setAside: (originUrl) => both((each) => each.setAside(originUrl)),
    restore: (originUrl) => both((each) => each.restore(originUrl)),
    discard: (originUrl) => both((each) => each.discard(originUrl)),
  };
}
