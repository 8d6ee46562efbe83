import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { variables } from '../../src/config.ts';
import { refusingPort } from '../support/http/raw-server.ts';
import { compiledSources } from '../support/processes/compiled-sources.ts';

const root = path.join(import.meta.dirname, '../..');
const read = (file: string): string => readFileSync(path.join(root, file), 'utf8');

const Manifest = z.object({
  bin: z.object({ outrider: z.string() }),
  scripts: z.object({ build: z.string() }),
});
const manifest = Manifest.parse(JSON.parse(read('package.json')));

const dockerfile = read('Dockerfile').replaceAll('\\\n', ' ');
/** What follows an instruction, for each time that it stands there. */
const instructions = (name: string): string[] =>
  [...dockerfile.matchAll(new RegExp(`^ *${name} +(.+)$`, 'gm'))].map(([, rest = '']) =>
    rest.trim(),
  );
const words = (list: string | undefined): string[] =>
  z.array(z.string()).parse(JSON.parse(list ?? '[]'));

const Service = z.object({
  image: z.string(),
  command: z.array(z.string()).optional(),
  environment: z.record(z.string(), z.string()).optional(),
  volumes: z.array(z.string()),
  depends_on: z.record(z.string(), z.object({ condition: z.string() })).optional(),
  healthcheck: z.object({ disable: z.boolean().optional() }).optional(),
  network_mode: z.string().optional(),
  profiles: z.array(z.string()).optional(),
});
const Compose = z.object({
  services: z.record(z.string(), Service),
  volumes: z.record(z.string(), z.null()),
});
const compose = Compose.parse(parse(read('compose.yaml'), { merge: true }));
const services = Object.entries(compose.services);
const own = services.filter(([, service]) => service.image === 'outrider');

const procfile = read('Procfile')
  .trim()
  .split('\n')
  .map((line) => /^(\w+): (?:([A-Z_]+)=\S+ )?node (\S+) (.+)$/.exec(line)?.slice(1) ?? []);

type Run = readonly [where: string, args: readonly string[]];
const commands: readonly Run[] = [
  ...instructions('CMD').map((list): Run => [`Dockerfile, ${list}`, words(list)]),
  ...own.map(([name, { command = [] }]): Run => [`compose.yaml, ${name}`, command]),
  ...procfile.map(([name, , , args = '']): Run => [`Procfile, ${name}`, args.split(' ')]),
];

const help = new Map<string, ReturnType<typeof spawnSync>>();
function helpOf(command: string): { status: number | null; text: string } {
  const run =
    help.get(command) ??
    spawnSync(process.execPath, ['src/cli/outrider.ts', command, '--help'], {
      cwd: root,
      env: { ...process.env, ...compiledSources },
    });
  help.set(command, run);
  return { status: run.status, text: String(run.stdout) };
}

describe('what is run', () => {
  it.each(commands)(
    'is a command, with words that it knows: %s',
    (_where, [command = '', ...more]) => {
      const { status, text } = helpOf(command);
      expect(status).toBe(0);
      for (const word of more) expect(text).toMatch(new RegExp(`^ +${word} `, 'm'));
    },
  );

  it('is the program of the package', () => {
    expect(words(instructions('ENTRYPOINT').at(-1))).toEqual(['node', manifest.bin.outrider]);
    for (const [name, , program] of procfile)
      expect([name, program]).toEqual([name, manifest.bin.outrider]);
  });

  it('is each role in a process of its own, after the migration', () => {
    const run = own.map(([, { command }]) => command?.join(' '));
    expect(run).toEqual(
      expect.arrayContaining([
        'migrate',
        'run ingest',
        'run dispatch bot pull monitor --health',
        'publish --health',
      ]),
    );
    expect(procfile.map(([name]) => name)).toEqual(['release', 'web', 'worker', 'publisher']);
  });
});

describe('the image', () => {
  const copied = instructions('COPY')
    .filter((rest) => !rest.startsWith('--from'))
    .flatMap((rest) => rest.split(/ +/).slice(0, -1));

  it.each([...new Set(copied)])('is built from what is there and let in: %s', (source) => {
    expect(existsSync(path.join(root, source))).toBe(true);
    expect(read('.dockerignore').split('\n')).toContain(`!${source}`);
  });

  it('has all that the build needs', () => {
    const [, needed = ''] = /cp -r (.+?) dist\//.exec(manifest.scripts.build) ?? [];
    const { include } = z
      .object({ include: z.array(z.string()) })
      .parse(JSON.parse(read('tsconfig.build.json')));
    expect(copied).toEqual(expect.arrayContaining([...needed.split(' '), ...include]));
  });

  it('has every package that the users of the package choose from', () => {
    const runs = instructions('RUN').join('\n');
    expect(runs).toMatch(/npm install --no-save --save-prod --omit=dev .*peerDependencies/);
  });

  it('runs on the Node that the package asks for, and not as root', () => {
    const [build, runtime, ...others] = instructions('FROM');
    expect([build, runtime]).toEqual(['node:24-slim AS build', 'node:24-slim AS runtime']);
    for (const each of others) expect(each).toMatch(/^runtime( AS [a-z-]+)?$/);
    expect(instructions('USER')).toEqual(['node']);
  });

  /** How the probe of the image ends, where Outrider has that port. */
  async function probed(port: number | undefined): Promise<unknown[]> {
    const [, probe] = /CMD (\[.+\])$/.exec(instructions('HEALTHCHECK')[0] ?? '') ?? [];
    const [, ...args] = words(probe);
    const child = spawn(process.execPath, args, { env: { OUTRIDER_PORT: String(port) } });
    return once(child, 'close');
  }

  it.each([
    [200, 0],
    [503, 1],
  ])('is as healthy as /healthz says: %s', async (status, code) => {
    const server = createServer((request, response) => {
      response.writeHead(request.url === '/healthz' ? status : 404).end();
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    expect(await probed(typeof address === 'object' ? address?.port : undefined)).toEqual([
      code,
      null,
    ]);
    server.close();
  });

  it('is not healthy where nobody listens', async () => {
    await using refusing = await refusingPort();
    expect(await probed(refusing.port)).toEqual([1, null]);
  });
});

describe('heroku.yml', () => {
  const Images = z.object({
    build: z.object({
      docker: z.record(z.string(), z.object({ dockerfile: z.string(), target: z.string() })),
    }),
  });
  const images = Object.entries(Images.parse(parse(read('heroku.yml'))).build.docker);

  it.each(images)('builds %s from a stage that there is', (_name, { dockerfile: file, target }) => {
    expect(existsSync(path.join(root, file))).toBe(true);
    expect(instructions('FROM')).toContain(`runtime AS ${target}`);
  });

  it('has the processes of the Procfile', () => {
    const processes = procfile.map(([name]) => name).filter((name) => name !== 'release');
    expect(images.map(([name]) => name)).toEqual(processes);
  });
});

describe('bin/outrider', () => {
  it('is the command line, wherever it is called from and however old the Node of the machine is', () => {
    const program = path.join(root, 'bin/outrider');
    const env = { PATH: '/usr/bin:/bin' };
    const run = spawnSync(program, ['publish', '--help'], { cwd: '/', env });
    expect({ status: run.status, text: String(run.stdout) }).toEqual(helpOf('publish'));
  });
});

describe('bin/outbox-publisher', () => {
  it('is the command that publishes, wherever it is called from', () => {
    const program = path.join(root, 'bin/outbox-publisher');
    const run = spawnSync(program, ['--help'], { cwd: '/' });
    expect({ status: run.status, text: String(run.stdout) }).toEqual(helpOf('publish'));
  });
});

describe('compose.yaml', () => {
  it.each(services)(
    '%s depends on services, and keeps its data in volumes, that there are',
    (_name, service) => {
      const { depends_on: before = {}, volumes } = service;
      for (const each of Object.keys(before)) expect(compose.services).toHaveProperty(each);
      for (const each of volumes) expect(compose.volumes).toHaveProperty(each.split(':')[0] ?? '');
    },
  );

  it('asks for health only where there is an HTTP server', () => {
    const asked = own
      .filter(([, { healthcheck }]) => healthcheck?.disable !== true)
      .map(([name]) => name);
    expect(asked).toEqual(['ingest', 'dispatch', 'gateway', 'publish', 'sandbox']);
  });

  it('keeps the sandbox away from the real database and the real providers', () => {
    const { environment = {}, profiles, volumes, ...rest } = compose.services['sandbox'] ?? {};
    expect(profiles).toEqual(['sandbox']);
    expect(Object.keys(environment)).not.toContain('DATABASE_URL');
    expect(rest).not.toHaveProperty('env_file');
    const live = own
      .filter(([name]) => name !== 'sandbox')
      .flatMap(([, service]) => service.volumes);
    expect(live.filter((each) => volumes?.includes(each))).toEqual([]);
  });

  it('sets only variables that Outrider reads', () => {
    const known = variables.map(({ name }) => name);
    const given = own.flatMap(([, { environment = {} }]) => Object.keys(environment));
    expect(known).toEqual(expect.arrayContaining([...new Set(given)]));
  });
});
