// Lets a program of this clone import the package by its name, from the sources: nothing has to be built.
//
//   npm run example examples/first-delivery.ts

import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { z } from 'zod';

const Manifest = z.object({
  name: z.string(),
  exports: z.record(z.string(), z.object({ default: z.string() })),
});
const root = new URL('../', import.meta.url);
const manifest = Manifest.parse(JSON.parse(readFileSync(new URL('package.json', root), 'utf8')));

/** Where the source of each entry is: that of `outrider/sql` is src/db/index.ts. */
const sources = new Map(
  Object.entries(manifest.exports).map(([entry, { default: built }]) => [
    `${manifest.name}${entry.slice(1)}`,
    new URL(built.replace('./dist/', '').replace(/\.js$/, '.ts'), root).href,
  ]),
);

registerHooks({
  resolve: (specifier, context, next) => next(sources.get(specifier) ?? specifier, context),
});
