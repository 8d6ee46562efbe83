import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parseEnv } from 'node:util';
import { describe, expect, it } from 'vitest';
import { envExample } from '../../scripts/environment/env-example.ts';
import { withTable } from '../../scripts/environment/table.ts';
import { loadConfig, variables } from '../../src/config.ts';

const root = path.join(import.meta.dirname, '../..');
const read = (file: string): string => readFileSync(path.join(root, file), 'utf8');

const names = variables.map(({ name }) => name);
const example = read('.env.example');
const shown = new Map(Object.entries(parseEnv(example.replaceAll(/^#(?=[A-Z0-9_]+=)/gm, ''))));

describe('a variable of the configuration', () => {
  it('is listed', () => {
    expect(names).toEqual(expect.arrayContaining(['DATABASE_URL', 'OUTRIDER_PORT', 'VK_API_URL']));
  });

  it.each(variables)('has a default or an example: $name', (variable) => {
    expect(variable.meaning).toMatch(/^.{10,}[^.]$/);
    expect([variable.default, variable.example].filter((each) => each !== undefined)).toHaveLength(
      1,
    );
  });

  it.each(variables.filter((each) => each.example !== undefined))(
    'has an example that it takes: $name',
    ({ name, example: value }) => {
      const { secrets: _, ...config } = loadConfig({ [name]: value }, '/srv');
      const { secrets: __, ...usual } = loadConfig({}, '/srv');
      expect(config).not.toEqual(usual);
    },
  );

  it('stands in docs/operations.md as the source says it (npm run environment)', () => {
    const page = read('docs/operations.md');
    expect(page).toBe(withTable(page, variables));
  });

  it('exists if a page, a preset or an example names it', () => {
    const files = globSync(['*.md', 'docs/*.md', 'presets/*', 'examples/*', 'compose.yaml'], {
      cwd: root,
    });
    const named = files.flatMap((file) => read(file).match(/\bOUTRIDER_[A-Z0-9_]*[A-Z]\b/g) ?? []);
    const demo = ['OUTRIDER_DEMO_SECRET']; // the secret of the demo's endpoint
    const ofN8n = ['OUTRIDER_N8N_DIR', 'OUTRIDER_GATEWAY_URL']; // for scripts/n8n.ts, and for the workflows
    expect([...names, ...demo, ...ofN8n]).toEqual(expect.arrayContaining([...new Set(named)]));
  });
});

describe('.env.example', () => {
  it('is as the source says it (npm run environment)', () => {
    expect(example).toBe(envExample(variables));
  });

  it('sets nothing until somebody takes the # away', () => {
    expect(parseEnv(example)).toEqual({});
  });

  it('shows the defaults', () => {
    const config = loadConfig(Object.fromEntries(shown), '/srv');
    const usual = { secrets: {}, isDataDirChosen: false };
    expect({ ...config, ...usual }).toEqual(loadConfig({}, '/srv'));
  });

  it('names nothing else, apart from secrets of the user’s own', () => {
    const others = [...shown.keys()].filter((name) => !names.includes(name));
    const secrets = ['TELEGRAM_TOKEN', 'MAX_TOKEN', 'VK_TOKEN', 'POSTGRES_PASSWORD'];
    expect(new Set(others)).toEqual(new Set(secrets));
  });
});
