// Draws docs/architecture.png from docs/architecture.dot, with Graphviz.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const docs = join(import.meta.dirname, '../docs');
/** Twice as many as a README shows, for screens with a high resolution. */
const dotsPerInch = 192;

if (!isInstalled() && !install()) {
  console.error(
    'Graphviz is missing: install it (apt-get install graphviz, brew install graphviz)',
  );
  process.exit(1);
}

const files = [join(docs, 'architecture.dot'), '-o', join(docs, 'architecture.png')];
const drawn = spawnSync('dot', ['-Tpng', `-Gdpi=${dotsPerInch}`, ...files], { stdio: 'inherit' });
if (drawn.status === 0) console.log('docs/architecture.png');
process.exitCode = drawn.status ?? 1;

function isInstalled(): boolean {
  return spawnSync('dot', ['-V']).status === 0;
}

/** On Debian, as root. The recommended packages are installed too: they bring the font. */
function install(): boolean {
  if (process.getuid?.() !== 0) return false;
  return apt('update') && apt('install', '-y', 'graphviz') && isInstalled();
}

function apt(...words: string[]): boolean {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  return spawnSync('apt-get', words, { env }).status === 0;
}
