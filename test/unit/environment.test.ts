import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parseEnv } from 'node:util';
import { describe, expect, it } from 'vitest';
import { platforms } from '../../src/adapters/platforms.ts';
import { loadConfig } from '../../src/config.ts';

const root = path.join(import.meta.dirname, '../..');
const read = (file: string): string => readFileSync(path.join(root, file), 'utf8');

const schema = /const environment = z\.object\(\{\n(.*?)\n\}\);/s.exec(read('src/config.ts'))?.[1];
const named = [...(schema ?? '').matchAll(/^ {2}([A-Z][A-Z_]*):/gm)].map(([, name = '']) => name);
const variables = [...named, ...platforms.map(({ apiUrlVariable }) => apiUrlVariable)];

const example = read('.env.example');
const shown = new Map(Object.entries(parseEnv(example.replaceAll(/^#(?=[A-Z_]+=)/gm, ''))));
const operations = read('docs/operations.md');

describe('a variable of the configuration', () => {
  it('is found in the source', () => {
    expect(variables).toEqual(
      expect.arrayContaining(['DATABASE_URL', 'OUTRIDER_PORT', 'VK_API_URL']),
    );
    expect(named.length).toBe(schema?.split('\n').length);
  });

  it.each(variables)('is in .env.example: %s', (name) => {
    expect(shown.has(name)).toBe(true);
  });

  it.each(variables)('has its row in docs/operations.md: %s', (name) => {
    expect(operations).toMatch(new RegExp(`^\\| \`${name}\` \\| \\S+ \\| \\S.+ \\|$`, 'm'));
  });

  it.each([...shown].filter(([, value]) => value !== ''))(
    'has the same default in both: %s',
    (name, value) => {
      expect(operations).toContain(`\n| \`${name}\` | \`${value}\` | `);
    },
  );
});

describe('.env.example', () => {
  it('sets nothing until somebody takes the # away', () => {
    expect(parseEnv(example)).toEqual({});
  });

  it('shows the defaults', () => {
    const { secrets: _, ...config } = loadConfig(Object.fromEntries(shown), '/srv');
    expect({ ...config, secrets: {} }).toEqual(loadConfig({}, '/srv'));
  });

  it('names nothing else, apart from secrets of the user’s own', () => {
    const others = [...shown.keys()].filter((name) => !variables.includes(name));
    const secrets = ['TELEGRAM_TOKEN', 'MAX_TOKEN', 'VK_TOKEN', 'POSTGRES_PASSWORD'];
    expect(new Set(others)).toEqual(new Set(secrets));
  });
});
