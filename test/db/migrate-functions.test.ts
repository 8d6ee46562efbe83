import { describe, expect, it } from 'vitest';
import {
  MigratedFolder,
  nothing,
  plpgsql,
  sqlFunction,
} from '../support/database/migrated-folder.ts';

const schema = new MigratedFolder();

async function signatures(): Promise<unknown[]> {
  const { rows } = await schema.client.query<{ signature: string }>(
    `select p.oid::regprocedure::text as signature from pg_proc p
     where p.pronamespace = 'outrider'::regnamespace order by 1`,
  );
  return rows.map((row) => row.signature);
}

async function triggers(): Promise<unknown[]> {
  const { rows } = await schema.client.query<{ trigger: string }>(
    `select t.tgname || ' calls ' || p.proname as trigger
     from pg_trigger t join pg_proc p on p.oid = t.tgfoid where not t.tgisinternal order by 1`,
  );
  return rows.map((row) => row.trigger);
}

describe('a function', () => {
  it('is applied again when its text changes, and alone', async () => {
    await schema.write({
      'functions/one.sql': sqlFunction('one', 'select 1'),
      'functions/two.sql': sqlFunction('two', 'select 2'),
    });
    await schema.migrate();
    await schema.write({ 'functions/one.sql': sqlFunction('one', 'select 11') });
    expect(await schema.migrate()).toEqual({ ...nothing, functionsChanged: ['one'] });
    expect((await schema.client.query('select outrider.one(), outrider.two()')).rows).toEqual([
      { one: 11, two: 2 },
    ]);
  });

  it('comes back when somebody dropped it by hand', async () => {
    await schema.write({ 'functions/one.sql': sqlFunction('one', 'select 1') });
    await schema.migrate();
    await schema.client.query('drop function outrider.one()');
    expect(await schema.migrate()).toEqual({ ...nothing, functionsChanged: ['one'] });
  });

  it('may use functions whose files come later', async () => {
    await schema.write({
      'functions/a.sql': `create function outrider.a(p integer default outrider.b()) returns integer
        language sql as $$ select p + outrider.c() $$;`,
      'functions/b.sql': sqlFunction('b', 'select 40'),
      'functions/c.sql': sqlFunction('c', 'select 2'),
    });
    await schema.migrate();
    expect((await schema.client.query('select outrider.a()')).rows).toEqual([{ a: 42 }]);
  });

  it('with other arguments may be granted by its name alone', async () => {
    const granted = (body: string, args?: string) =>
      `${sqlFunction('one', body, args)}\ngrant execute on function outrider.one to public;`;
    await schema.write({ 'functions/one.sql': granted('select 1') });
    await schema.migrate();
    await schema.write({ 'functions/one.sql': granted('select p', 'p integer') });
    expect(await schema.migrate()).toEqual({ ...nothing, functionsChanged: ['one'] });
    expect(await signatures()).toEqual(['outrider.one(integer)']);
  });

  it('leaves no overload of its old signature', async () => {
    await schema.write({ 'functions/one.sql': sqlFunction('one', 'select 1') });
    await schema.migrate();
    await schema.write({ 'functions/one.sql': sqlFunction('one', 'select p', 'p integer') });
    await schema.migrate();
    expect(await signatures()).toEqual(['outrider.one(integer)']);
  });

  it('may change its result type, its parameters’ names and its kind', async () => {
    await schema.write({ 'functions/one.sql': sqlFunction('one', 'select p', 'p integer') });
    await schema.migrate();
    const texts = [
      "create or replace function outrider.one(p integer) returns text language sql as $$ select 'x' $$;",
      "create or replace function outrider.one(q integer) returns text language sql as $$ select 'y' $$;",
      'create or replace procedure outrider.one(q integer) language plpgsql as $$ begin end $$;',
    ];
    for (const text of texts) {
      await schema.write({ 'functions/one.sql': text });
      expect(await schema.migrate()).toEqual({ ...nothing, functionsChanged: ['one'] });
      expect(await signatures()).toEqual(['outrider.one(integer)']);
    }
  });

  it('is dropped when its file disappears', async () => {
    await schema.write({ 'functions/one.sql': sqlFunction('one', 'select 1') });
    await schema.migrate();
    await schema.write({ 'functions/one.sql': null });
    expect(await schema.migrate()).toEqual({ ...nothing, functionsDropped: ['one'] });
    expect(await signatures()).toEqual([]);
  });

  it('that something else depends on is not dropped from under it', async () => {
    await schema.write({ 'functions/one.sql': sqlFunction('one', 'select 1') });
    await schema.migrate();
    await schema.write({
      'migrations/0002_default.sql':
        'alter table outrider.posts alter column id set default outrider.one();',
    });
    await schema.migrate();
    expect(await schema.outcome({ 'functions/one.sql': null })).toMatch(
      /^migration_failed: .*one: cannot drop function outrider\.one\(\) .*\(default value for column id of table outrider\.posts/,
    );
    expect(
      await schema.outcome({ 'functions/one.sql': sqlFunction('one', 'select p', 'p integer') }),
    ).toMatch(/^migration_failed: .*functions\/one\.sql: cannot drop function outrider\.one\(\)/);
    expect(await signatures()).toEqual(['outrider.one()']);
  });

  it('that a view uses takes the view along and brings it back', async () => {
    await schema.write({
      'functions/one.sql': sqlFunction('one', 'select 1'),
      'views/v.sql': 'create or replace view outrider.v as select outrider.one() as one;',
      'views/w.sql': 'create or replace view outrider.w as select one from outrider.v;',
    });
    await schema.migrate();
    const text =
      "create or replace function outrider.one() returns text language sql as $$ select 'x' $$;";
    await schema.write({ 'functions/one.sql': text });
    await schema.migrate();
    expect((await schema.client.query('select one from outrider.w')).rows).toEqual([{ one: 'x' }]);
    await schema.write({
      'functions/one.sql': sqlFunction('one', 'select p', 'p integer'),
      'views/v.sql': 'create or replace view outrider.v as select outrider.one(7) as one;',
    });
    await schema.migrate();
    expect((await schema.client.query('select one from outrider.w')).rows).toEqual([{ one: 7 }]);
    expect(await signatures()).toEqual(['outrider.one(integer)']);
  });
});

describe('a trigger', () => {
  const trigger = (name: string, calls: string): string =>
    `create or replace trigger ${name} before insert on outrider.posts
       for each row execute function outrider.${calls}();`;
  const guard = (name: string, body = 'begin return new; end'): string =>
    plpgsql(name, body, 'trigger');

  it('of a function’s file survives the function’s changes', async () => {
    await schema.write({ 'functions/guard.sql': guard('guard') + trigger('guarded', 'guard') });
    await schema.migrate();
    await schema.write({
      'functions/guard.sql':
        guard('guard', 'begin new.body := 1; return new; end') + trigger('guarded', 'guard'),
    });
    await schema.migrate();
    expect(await triggers()).toEqual(['guarded calls guard']);
  });

  it('of a partitioned table survives them too', async () => {
    const parted = `create table outrider.parted (id integer) partition by range (id);
      create table outrider.parted_rest partition of outrider.parted default;`;
    const onParted = trigger('guarded', 'guard').replace('outrider.posts', 'outrider.parted');
    await schema.write({
      'migrations/0002_parted.sql': parted,
      'functions/guard.sql': guard('guard') + onParted,
    });
    await schema.migrate();
    await schema.write({ 'functions/guard.sql': `${guard('guard')}-- changed\n${onParted}` });
    await schema.migrate();
    expect(await triggers()).toEqual(['guarded calls guard', 'guarded calls guard']);
    await schema.write({ 'functions/guard.sql': guard('guard') });
    await schema.migrate();
    expect(await triggers()).toEqual([]);
  });

  it('that its file no longer creates is dropped', async () => {
    await schema.write({
      'functions/guard.sql':
        guard('guard') + trigger('first', 'guard') + trigger('second', 'guard'),
    });
    await schema.migrate();
    await schema.write({ 'functions/guard.sql': guard('guard') + trigger('second', 'guard') });
    await schema.migrate();
    expect(await triggers()).toEqual(['second calls guard']);
  });

  it('moves with its name from a function that goes to one that comes', async () => {
    await schema.write({
      'functions/old_guard.sql': guard('old_guard') + trigger('guarded', 'old_guard'),
    });
    await schema.migrate();
    await schema.write({
      'functions/old_guard.sql': null,
      'functions/new_guard.sql': guard('new_guard') + trigger('guarded', 'new_guard'),
    });
    expect(await schema.migrate()).toMatchObject({
      functionsChanged: ['new_guard'],
      functionsDropped: ['old_guard'],
    });
    expect(await triggers()).toEqual(['guarded calls new_guard']);
  });

  it('goes with its file', async () => {
    await schema.write({ 'functions/guard.sql': guard('guard') + trigger('guarded', 'guard') });
    await schema.migrate();
    await schema.write({ 'functions/guard.sql': null });
    await schema.migrate();
    expect(await triggers()).toEqual([]);
  });

  it('goes when its function becomes one that no trigger can call', async () => {
    await schema.write({ 'functions/guard.sql': guard('guard') + trigger('guarded', 'guard') });
    await schema.migrate();
    await schema.write({ 'functions/guard.sql': sqlFunction('guard', 'select 1') });
    await schema.migrate();
    expect(await triggers()).toEqual([]);
  });

  it('of a migration is never dropped on the way', async () => {
    await schema.write({ 'functions/guard.sql': guard('guard') });
    await schema.migrate();
    await schema.write({ 'migrations/0002_guard.sql': trigger('guarded', 'guard') });
    await schema.migrate();
    await schema.write({ 'functions/guard.sql': `${guard('guard')}-- changed` });
    await schema.migrate();
    expect(await triggers()).toEqual(['guarded calls guard']);
    expect(
      await schema.outcome({ 'functions/guard.sql': sqlFunction('guard', 'select 1') }),
    ).toMatch(/^migration_refused: .*functions\/guard\.sql .*trigger guarded on outrider\.posts/);
    expect(await schema.outcome({ 'functions/guard.sql': null })).toMatch(
      /^migration_failed: .*cannot drop function outrider\.guard\(\)/,
    );
    expect(await triggers()).toEqual(['guarded calls guard']);
  });
});

describe('a view', () => {
  it('may change its columns while others build on it', async () => {
    await schema.write({
      'views/a.sql': 'create or replace view outrider.a as select one from outrider.b;',
      'views/b.sql': 'create or replace view outrider.b as select 1 as one;',
    });
    await schema.migrate();
    await schema.write({
      'views/b.sql': "create or replace view outrider.b as select 'x' as one, 2 as two;",
    });
    expect(await schema.migrate()).toMatchObject({ viewsChanged: ['b'] });
    expect((await schema.client.query('select one from outrider.a')).rows).toEqual([{ one: 'x' }]);
  });

  it('is dropped when its file disappears', async () => {
    await schema.write({ 'views/a.sql': 'create or replace view outrider.a as select 1 as one;' });
    await schema.migrate();
    await schema.write({ 'views/a.sql': null });
    expect(await schema.migrate()).toEqual({ ...nothing, viewsDropped: ['a'] });
    expect((await schema.client.query("select to_regclass('outrider.a') as a")).rows).toEqual([
      { a: null },
    ]);
  });
});
