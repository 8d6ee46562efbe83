// Node's cache of compiled sources, for the processes that tests start. One that ends soon spends most of its time on
// loading them.

import path from 'node:path';

export const compiledSources: Readonly<Record<string, string>> = {
  NODE_COMPILE_CACHE: path.resolve(import.meta.dirname, '../../../node_modules/.cache/sources'),
};
