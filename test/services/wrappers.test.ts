import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { readSchemaFiles } from '../../src/db/migrate/files.ts';
import { schemaDir } from '../../src/db/open.ts';
import type { Queryable } from '../../src/db/pool.ts';
import { type Routine, routines } from '../support/database/catalogue.ts';
import { useDatabase } from '../support/fixtures/database.ts';

// A wrapper is an exported async function of a module of src/db that calls a function of the
// database. It is called with arguments that only know where they come from, on a connection that
// notes the call and answers with a row that notes which columns are read.

interface Wrapper {
  readonly title: string;
  /** The module of src/db. */
  readonly module: string;
  readonly parameters: readonly string[];
  readonly function: (...args: unknown[]) => unknown;
}

interface Call {
  readonly name: string;
  readonly values: readonly unknown[];
  readonly columnsRead: readonly string[];
}

const database = await useDatabase();
let everyRoutine: Routine[];
let publicOnes: Map<string, Routine>;
let wrappers: Wrapper[];

beforeAll(async () => {
  everyRoutine = await routines(database.admin);
  publicOnes = new Map(
    everyRoutine.filter((each) => each.isPublic).map((each) => [each.name, each]),
  );
  wrappers = await findWrappers();
});

describe('the wrappers of src/db', () => {
  it('are one for each public function', async () => {
    const calls = await Promise.all(wrappers.map((wrapper) => callOf(wrapper)));
    expect(calls.map((call) => call.name).toSorted()).toEqual([...publicOnes.keys()].toSorted());
  });

  it('stand in the module that is named after the area of their function', async () => {
    const { functions } = await readSchemaFiles(schemaDir);
    for (const wrapper of wrappers) {
      const { name } = await callOf(wrapper);
      const file = functions.find((each) => each.name === name)?.path ?? '';
      expect([name, wrapper.module]).toEqual([name, path.basename(path.dirname(file))]);
    }
  });

  it('pass every argument, and leave only the time to its default', async () => {
    for (const wrapper of wrappers) {
      const { name, values } = await callOf(wrapper);
      const names = argumentsOf(name);
      const timed = wrapper.parameters.includes('now');
      expect([name, timed]).toEqual([name, names.includes('now')]);
      expect([name, values.length]).toEqual([name, names.length - (timed ? 1 : 0)]);
      expect(publicOnes.get(name)?.defaults).toBeGreaterThanOrEqual(names.length - values.length);
    }
  });

  it('pass the time as the last argument when they are given one', async () => {
    for (const wrapper of wrappers.filter((each) => each.parameters.includes('now'))) {
      const { name, values } = await callOf(wrapper, '2026-03-02T10:00:00Z');
      expect([name, values.length]).toEqual([name, argumentsOf(name).length]);
      expect([name, values.at(-1)]).toEqual([name, '2026-03-02T10:00:00Z']);
    }
  });

  it('feed each argument from the value that bears its name', async () => {
    for (const wrapper of wrappers) {
      const { name, values } = await callOf(wrapper);
      for (const [index, value] of values.entries()) {
        const argument = argumentsOf(name)[index] ?? '';
        expect(`${name}: ${String(value)}`).toContain(camelCase(argument));
      }
    }
  });

  it('read exactly the columns that their function returns', async () => {
    for (const wrapper of wrappers) {
      const { name, columnsRead } = await callOf(wrapper);
      const columns = publicOnes.get(name)?.columns;
      expect([name, columnsRead.toSorted()]).toEqual([name, columns?.toSorted()]);
    }
  });
});

describe('the functions of the schema', () => {
  it('belong to the owner', () => {
    expect(everyRoutine.filter((each) => each.owner !== 'outrider_owner')).toEqual([]);
  });

  it('are not open to PUBLIC', () => {
    expect(everyRoutine.filter((each) => each.grantees.includes('PUBLIC'))).toEqual([]);
  });

  it('can be executed by nobody but the owner unless they are public', () => {
    const internal = everyRoutine.filter((each) => !each.isPublic);
    expect(internal.length).toBeGreaterThan(0);
    for (const each of internal)
      expect([each.name, each.grantees]).toEqual([each.name, ['outrider_owner']]);
  });

  it('have one form each', () => {
    const names = everyRoutine.map((each) => each.name);
    expect(names).toEqual([...new Set(names)]);
  });

  it('run with the rights of their owner and on a fixed search path if they are public', () => {
    for (const each of publicOnes.values()) {
      expect([each.name, each.definer]).toEqual([each.name, true]);
      expect([each.name, ...each.settings]).toContain('search_path=outrider, pg_temp');
    }
  });

  it('take the time last, and have the clock as its default, if they take it', () => {
    const timed = [...publicOnes.values()].filter((each) => argumentsOf(each.name).includes('now'));
    for (const each of timed) {
      expect([each.name, argumentsOf(each.name).at(-1)]).toEqual([each.name, 'now']);
      expect([each.name, each.defaults]).not.toEqual([each.name, 0]);
    }
  });
});

/** Names of the arguments, without p_ and without their form (error_json carries an error). */
function argumentsOf(name: string): string[] {
  const args = publicOnes.get(name)?.args ?? [];
  return args.map((arg) => arg.name.replace(/^p_/, '').replace(/_json$/, ''));
}

function camelCase(name: string): string {
  return name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

async function findWrappers(): Promise<Wrapper[]> {
  const folder = path.resolve(import.meta.dirname, '../../src/db');
  const isModule = (file: string): boolean => file.endsWith('.ts') && file !== 'index.ts';
  const files = (await readdir(folder)).filter(isModule).toSorted();
  const modules = await Promise.all(
    files.map(async (file) => {
      const exported = Object.entries(await exportsOf(path.join(folder, file)));
      return exported.map(([title, value]) => [title, value, path.basename(file, '.ts')] as const);
    }),
  );
  return modules.flat().flatMap(([title, value, module]) => {
    if (!isFunction(value)) return [];
    const parameters = /^async function \w+\(([^)]*)\)/.exec(value.toString())?.[1]?.split(/,\s*/);
    if (parameters?.[0] !== 'client' || machinery.has(title)) return [];
    return [{ title, module, parameters, function: value }];
  });
}

// What takes a client, too, but names no function itself.
const machinery = new Set(['callFunction', 'callForRow', 'callForValue', 'queryRows', 'queryRow']);

async function exportsOf(file: string): Promise<object> {
  return z.record(z.string(), z.unknown()).parse({ ...(await import(file)) });
}

function isFunction(value: unknown): value is (...args: unknown[]) => unknown {
  return typeof value === 'function';
}

async function callOf(wrapper: Wrapper, now?: string): Promise<Call> {
  const calls: { name: string; values: unknown[] }[] = [];
  const columnsRead = new Set<string>();
  const client: Queryable = {
    query: (config: string | { text: string; values?: unknown[] }) => {
      const { text, values = [] } = typeof config === 'string' ? { text: config } : config;
      const name = /^select \* from outrider\.(\w+)\(/.exec(text)?.[1] ?? text;
      calls.push({ name, values });
      return Promise.resolve({ rows: [notingRow(publicOnes.get(name), columnsRead)] });
    },
  };
  const given = wrapper.parameters.slice(1).map((name) => (name === 'now' ? now : traced(name)));
  // The row fits no schema: what counts is what was asked for.
  await Promise.resolve(wrapper.function(client, ...given)).catch(() => undefined);
  const [call, ...more] = calls;
  if (call === undefined || more.length > 0) {
    throw new Error(`${wrapper.title} calls ${calls.length} functions`);
  }
  return { ...call, columnsRead: [...columnsRead] };
}

/** A row without values that notes which columns somebody asks it for. */
function notingRow(routine: Routine | undefined, read: Set<string>): object {
  const value = routine?.returnsValue === true ? { [routine.name]: null } : {};
  return new Proxy(value, {
    get: (target, key): unknown => {
      if (typeof key === 'string' && !(key in Object.prototype)) read.add(key);
      return Reflect.get(target, key);
    },
  });
}

/** A value of any kind whose text is the path by which it was reached: delivery.claimToken. */
function traced(trail: string): unknown {
  return new Proxy(() => undefined, {
    get: (_, key) => {
      if (key === 'toJSON' || key === 'toString' || key === Symbol.toPrimitive) return () => trail;
      return typeof key === 'string' ? traced(`${trail}.${key}`) : undefined;
    },
    apply: () => traced(trail),
    ownKeys: () => [],
  });
}
