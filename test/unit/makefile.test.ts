import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';

const root = path.join(import.meta.dirname, '../..');

it('make help lists every target that says what it is for', () => {
  const lines = readFileSync(path.join(root, 'Makefile'), 'utf8').split('\n');
  const described = lines
    .filter((line) => line.includes(': ') && line.includes('## ') && !line.startsWith('\t'))
    .map((line) => `make ${line.slice(0, line.indexOf(':'))}`);
  const help = execFileSync('make', ['--no-print-directory', 'help'], {
    cwd: root,
    encoding: 'utf8',
  });
  const listed = help.split('\n').map((line) => line.split(/ +/, 2).join(' '));
  expect(listed).toEqual([...described, '']);
});

it('make n8n says what is wrong with a setting, without a trace', () => {
  const { status, stderr } = spawnSync(process.execPath, ['scripts/n8n.ts'], {
    cwd: root,
    encoding: 'utf8',
    env: { ...process.env, OUTRIDER_PORT: 'abc' },
  });
  expect([status, stderr.split('\n')]).toEqual([
    1,
    [
      'make n8n: OUTRIDER_PORT must be a whole number from 0 to 65535',
      expect.stringContaining('  correct'),
      '',
    ],
  ]);
});
