// Checks what `npm publish` would ship: every entry of the built package is there and loads, and nothing that its users
// need is missing.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { z } from 'zod';

const root = join(import.meta.dirname, '..');
const Manifest = z.object({
  bin: z.record(z.string(), z.string()),
  exports: z.record(z.string(), z.object({ types: z.string(), default: z.string() })),
});
const { bin, exports } = Manifest.parse(
  JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')),
);
const entries = Object.values(exports);
const needed = [
  'README.md',
  'LICENSE',
  'dist/db/migrations/',
  'dist/presets/',
  'dist/src/status/assets/',
  ...Object.values(bin),
  ...entries.flatMap((entry) => [entry.types, entry.default]),
].map((path) => path.replace(/^\.\//, ''));
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

for (const entry of entries) await import(pathToFileURL(join(root, entry.default)).href);
console.log(`${files.length} files, ${entries.length} entries, all load`);
