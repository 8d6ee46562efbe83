import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../src/config.ts';
import { silentLog } from '../../src/log.ts';
import { type Ground, openGround } from '../../src/roles/ground.ts';
import type { Role, Stage } from '../../src/roles/role.ts';
import { roles, rolesNamed, workingRoleOf } from '../../src/roles/roles.ts';
import { startRoles } from '../../src/roles/start-roles.ts';
import { healthy } from '../../src/service.ts';

/** Roles that only tell when they are prepared, started and stopped. */
function tellingRoles(): { said: string[]; role: (name: string, stage: Stage) => Role } {
  const said: string[] = [];
  const role = (name: string, stage: Stage): Role => ({
    name,
    stage,
    summary: '',
    worksAs: 'outrider_service',
    prepare: async () => void said.push(`prepare ${name}`),
    async start() {
      said.push(`start ${name}`);
      return {
        name,
        health: () => healthy,
        async stop() {
          said.push(`stop ${name}`);
          await Promise.resolve();
          said.push(`${name} has stopped`);
        },
      };
    },
  });
  return { said, role };
}

function ground(): Ground {
  const database = { serviceUrl: 'postgresql://nobody@127.0.0.1:1/nothing' };
  return openGround({ config: loadConfig({}), database, log: silentLog });
}

describe('the roles', () => {
  it('start and stop in this order: what takes work in, what sends, what runs beside them', () => {
    expect(roles.map(({ name, stage }) => [name, stage])).toEqual([
      ['adapters', 'intake'],
      ['ingest', 'intake'],
      ['pull', 'intake'],
      ['dispatch', 'sending'],
      ['bot', 'sending'],
      ['upkeep', 'beside'],
      ['monitor', 'beside'],
      ['publish', 'beside'],
    ]);
  });

  it('are found by name, each once, in the order of the list', () => {
    const found = rolesNamed(['publish', 'ingest', 'publish']);
    expect(found.map(({ name }) => name)).toEqual(['ingest', 'publish']);
  });

  it('are refused by a name that none has, with the names that there are', () => {
    expect(() => rolesNamed(['ingest', 'mail'])).toThrow(
      expect.objectContaining({
        code: 'invalid_input',
        message: 'there is no role "mail"',
        hint: 'there are adapters, ingest, pull, dispatch, bot, upkeep, monitor, publish',
      }),
    );
  });

  it('work as the publisher of the outbox only where they only publish', () => {
    expect(workingRoleOf(['publish'])).toBe('outrider_publisher');
    expect(workingRoleOf(['publish', 'upkeep'])).toBe('outrider_service');
  });
});

describe('roles of one process', () => {
  it('are all prepared before the first one starts, and stop stage by stage', async () => {
    const { said, role } = tellingRoles();
    const all = [
      role('c', 'beside'),
      role('b', 'sending'),
      role('a', 'intake'),
      role('d', 'beside'),
    ];
    const place = ground();
    const started = startRoles(all, place, () => said.push('takes work in'));
    await started.started;
    expect(place.running.map((each) => each.name)).toEqual(['a', 'b', 'c', 'd']);
    expect(said.splice(0).join(', ')).toBe(
      'prepare c, prepare b, prepare a, prepare d, start a, takes work in, start b, start c, start d',
    );
    await started.stop();
    expect(said.join(', ')).toBe(
      'stop a, a has stopped, stop b, b has stopped, stop c, stop d, c has stopped, d has stopped',
    );
    expect(place.running).toEqual([]);
  });

  it('do not start where one cannot be prepared', async () => {
    const { said, role } = tellingRoles();
    const broken = {
      ...role('b', 'sending'),
      prepare: () => Promise.reject(new Error('no means')),
    };
    const { started } = startRoles([role('a', 'intake'), broken], ground());
    await expect(started).rejects.toThrow('no means');
    expect(said).toEqual(['prepare a']);
  });

  it('stop when one of them cannot start', async () => {
    const { said, role } = tellingRoles();
    const broken = { ...role('b', 'sending'), start: () => Promise.reject(new Error('no means')) };
    const place = ground();
    const all = startRoles([role('a', 'intake'), broken, role('c', 'beside')], place);
    await expect(all.started).rejects.toThrow('no means');
    expect(said.slice(-3)).toEqual(['start a', 'stop a', 'a has stopped']);
    expect(place.running).toEqual([]);
    await all.stop(); // there is nothing left to stop
    expect(said.at(-1)).toBe('a has stopped');
  });

  it('do not go on starting when they are told to stop, and stop what runs', async () => {
    const { said, role } = tellingRoles();
    const asked = Promise.withResolvers<void>();
    const going = Promise.withResolvers<void>();
    const slow: Role = {
      ...role('a', 'intake'),
      async start(place) {
        asked.resolve();
        await going.promise;
        return role('a', 'intake').start(place);
      },
    };
    const all = startRoles([slow, role('b', 'sending')], ground());
    await asked.promise;
    const stopped = all.stop();
    going.resolve();
    await expect(all.started).rejects.toThrow('it was stopped before all its roles ran');
    await stopped;
    expect(said.slice(2)).toEqual(['start a', 'stop a', 'a has stopped']);
  });

  it('stop although one of them cannot, which is told', async () => {
    const { said, role } = tellingRoles();
    const stubborn: Role = {
      ...role('a', 'intake'),
      start: async () => ({
        name: 'a',
        health: () => healthy,
        stop: () => Promise.reject(new Error('stuck')),
      }),
    };
    const all = startRoles([stubborn, role('b', 'sending')], ground());
    await all.started;
    await expect(all.stop()).rejects.toThrow('not every role could stop');
    expect(said.at(-1)).toBe('b has stopped');
  });
});
