import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { commands } from '../../src/cli/commands.ts';

// What the pages name, against what there is.

const root = path.join(import.meta.dirname, '../..');
const pages = globSync('{*.md,docs/**/*.md,{bench,workflows,test,tools,examples}/**/*.md}', {
  cwd: root,
  exclude: (name) => ['node_modules', 'results'].includes(path.basename(name)),
}).toSorted();
const usages = new Map<string, string>();
const targets = new Set(read('Makefile').match(/^[\w-]+(?=:)/gm));
const Manifest = z.object({ scripts: z.record(z.string(), z.string()) });
const scripts = new Set(Object.keys(Manifest.parse(JSON.parse(read('package.json'))).scripts));
for (const { name, load } of commands) usages.set(name, (await load()).usage);

function read(page: string): string {
  return readFileSync(path.join(root, page), 'utf8');
}

/** A page without its blocks of code. */
function proseOf(page: string): string {
  return read(page).replaceAll(/^```.*?^```/gms, '');
}

/** As GitHub makes them. */
function anchorsOf(page: string): string[] {
  return [...proseOf(page).matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
    title
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
      .replaceAll(' ', '-'),
  );
}

/** Command lines between backticks and in blocks of code, each with its command and the rest. */
function commandLines(page: string): { name: string; rest: string }[] {
  const code = [...read(page).matchAll(/`([^`\n]*)`|^[ \t$]*((?:bin\/)?outrider .*)$/gm)];
  return code
    .flatMap(([, inline, line]) => (inline ?? line ?? '').split(/&&|\|\||;|\| /))
    .flatMap((text) => {
      const found = /^\s*(?:\S*\/)?outrider\s+([a-z][a-z-]*)(.*)$/.exec(text);
      return found === null ? [] : [{ name: found[1] ?? '', rest: found[2] ?? '' }];
    });
}

describe('the pages', () => {
  it('are found, and so are the commands in them', () => {
    expect(pages).toContain('README.md');
    expect(pages).toContain('docs/runbook.md');
    expect(pages.flatMap(commandLines).length).toBeGreaterThan(200);
  });

  it.each(pages)('link only to what is there: %s', (page) => {
    const links = [...proseOf(page).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link);
    const broken = links
      .filter((link) => !/^[a-z]+:/.test(link))
      .filter((link) => {
        const [file = '', anchor] = link.split('#');
        const target = file === '' ? page : path.join(path.dirname(page), file);
        if (!existsSync(path.join(root, target))) return true;
        const isSection = anchor !== undefined && target.endsWith('.md');
        return isSection && !anchorsOf(target).includes(anchor);
      });
    expect(broken).toEqual([]);
  });

  it.each(pages)('name only commands that there are, with options of theirs: %s', (page) => {
    const wrong = commandLines(page).flatMap(({ name, rest }) => {
      const usage = usages.get(name);
      if (usage === undefined) return [`outrider ${name}`];
      const options = rest.match(/(?<![\w-])--[a-z][a-z-]*/g) ?? [];
      const known = ['--help', ...(usage.match(/--[a-z][a-z-]*/g) ?? [])];
      return options
        .filter((option) => !known.includes(option))
        .map((option) => `outrider ${name} ${option}`);
    });
    expect(wrong).toEqual([]);
  });

  it.each(pages)('name only targets of make and scripts of npm that there are: %s', (page) => {
    const named = [
      ...read(page).matchAll(/(?<=`|^)(make|npm run) (?:-s |--silent )?([a-z][\w:-]*)/gm),
    ];
    const wrong = named.filter(
      ([, tool, name = '']) => !(tool === 'make' ? targets : scripts).has(name),
    );
    expect(wrong.map(([line]) => line)).toEqual([]);
  });

  it('name only tests that are there: docs/guarantees.md', () => {
    const folders = readdirSync(path.join(root, 'test')).join('|');
    const named = read('docs/guarantees.md').matchAll(
      new RegExp(`\`((?:${folders})/[\\w-]+)\``, 'g'),
    );
    const tests = [...named].map(([, name = '']) => name);
    const isThere = (name: string): boolean =>
      ['.test.ts', '.ts'].some((end) => existsSync(path.join(root, 'test', name + end)));
    expect(tests.length).toBeGreaterThan(80);
    expect(tests.filter((name) => !isThere(name))).toEqual([]);
  });
});
