// Checks what `npm publish` would ship: the built package loads, and nothing that its users need is missing.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { z } from 'zod';

const root = join(import.meta.dirname, '..');
const needed = [
  'README.md',
  'LICENSE',
  'dist/src/index.js',
  'dist/src/index.d.ts',
  'dist/src/cli/outrider.js',
  'dist/db/migrations/',
];
const Listing = z.tuple([z.object({ files: z.array(z.object({ path: z.string() })) })]);

const pack = ['pack', '--dry-run', '--json', '--ignore-scripts', '--silent'];
const [{ files }] = Listing.parse(
  JSON.parse(execFileSync('npm', pack, { cwd: root, encoding: 'utf8' })),
);
const missing = needed.filter((path) => !files.some((file) => file.path.startsWith(path)));
if (missing.length > 0) {
  console.error(`the package lacks ${missing.join(', ')}`);
  process.exit(1);
}

await import(pathToFileURL(join(root, 'dist/src/index.js')).href);
console.log(`${files.length} files, loads`);
