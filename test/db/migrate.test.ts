import type pg from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type MigrationReport, migrate } from '../../src/db/migrate/migrate.ts';
import { openClient } from '../../src/db/pool.ts';
import { OutriderError } from '../../src/errors.ts';
import { openEmptyDatabase } from '../support/database.ts';
import { type SchemaFolder, schemaFolder } from '../support/schema-folder.ts';

const posts = 'create table outrider.posts (id integer primary key, body text);';
const nothing: MigrationReport = {
  migrations: [],
  functionsChanged: [],
  functionsDropped: [],
  viewsChanged: [],
  viewsDropped: [],
};

let database: Awaited<ReturnType<typeof openEmptyDatabase>>;
let client: pg.Client;
let folder: SchemaFolder;

beforeEach(async () => {
  database = await openEmptyDatabase();
  client = await openClient({ url: database.url, applicationName: 'outrider test' });
  folder = await schemaFolder({ 'migrations/0001_posts.sql': posts });
});

afterEach(async () => {
  await client.end();
  await database.drop();
  await folder.remove();
});

const run = (): Promise<MigrationReport> => migrate(database.url, { dir: folder.dir });

/** Writes the changes, migrates, and says how that failed. */
async function outcome(files: Parameters<SchemaFolder['write']>[0]): Promise<string> {
  await folder.write(files);
  const fault: unknown = await run().catch((error: unknown) => error);
  return fault instanceof OutriderError ? `${fault.code}: ${fault.message}` : 'nothing was refused';
}

async function signatures(): Promise<unknown[]> {
  const { rows } = await client.query<{ signature: string }>(
    `select p.oid::regprocedure::text as signature from pg_proc p
     where p.pronamespace = 'outrider'::regnamespace order by 1`,
  );
  return rows.map((row) => row.signature);
}

async function triggers(): Promise<unknown[]> {
  const { rows } = await client.query<{ trigger: string }>(
    `select t.tgname || ' calls ' || p.proname as trigger
     from pg_trigger t join pg_proc p on p.oid = t.tgfoid where not t.tgisinternal order by 1`,
  );
  return rows.map((row) => row.trigger);
}

describe('migrating', () => {
  it('applies migrations, functions and views, and says what it did', async () => {
    await folder.write({
      'migrations/0002_more.sql': 'alter table outrider.posts add column at timestamptz;',
      'functions/area/count_posts.sql': sqlFunction(
        'count_posts',
        'select count(*)::int from outrider.posts',
      ),
      'views/post_ids.sql':
        'create or replace view outrider.post_ids as select id from outrider.posts;',
    });
    expect(await run()).toEqual({
      ...nothing,
      migrations: ['0001_posts', '0002_more'],
      functionsChanged: ['count_posts'],
      viewsChanged: ['post_ids'],
    });
    expect(
      (
        await client.query(
          'select outrider.count_posts(), (select count(*)::int from outrider.post_ids) as ids',
        )
      ).rows,
    ).toEqual([{ count_posts: 0, ids: 0 }]);
  });

  it('finds nothing to do the second time', async () => {
    await run();
    expect(await run()).toEqual(nothing);
  });

  it('leaves everything to the owner, not to whoever migrates', async () => {
    await folder.write({ 'functions/one.sql': sqlFunction('one', 'select 1') });
    await run();
    const { rows } = await client.query(
      `select nspowner::regrole::text as owner from pg_namespace where nspname = 'outrider'
       union select relowner::regrole::text from pg_class where relnamespace = 'outrider'::regnamespace
       union select proowner::regrole::text from pg_proc where pronamespace = 'outrider'::regnamespace`,
    );
    expect(rows).toEqual([{ owner: 'outrider_owner' }]);
  });

  it('does each thing once when several migrators start together', async () => {
    const reports = await Promise.all([run(), run(), run()]);
    expect(reports.filter((report) => report.migrations.length > 0)).toHaveLength(1);
    expect(reports.filter((report) => report.migrations.length === 0)).toEqual([nothing, nothing]);
  });

  it('works on a client of the caller’s and leaves it as it was', async () => {
    await client.query("set search_path = 'public'");
    await migrate(client, { dir: folder.dir });
    const { rows } = await client.query(
      `select current_user = session_user as self, current_setting('search_path') as path,
              (select count(*)::int from pg_locks where locktype = 'advisory' and pid = pg_backend_pid()) as locks`,
    );
    expect(rows).toEqual([{ self: true, path: 'public', locks: 0 }]);
  });

  it('changes nothing at all when one file fails', async () => {
    await folder.write({ 'migrations/0002_wrong.sql': 'create table outrider.x (id nonsense);' });
    await expect(run()).rejects.toThrow(/nonsense/);
    const { rows } = await client.query("select to_regnamespace('outrider') as schema");
    expect(rows).toEqual([{ schema: null }]);
  });
});

describe('a fault is reported with file, line and message', () => {
  it('in a migration', async () => {
    expect(
      await outcome({
        'migrations/0002_wrong.sql': '-- ёж\n\ncreate table outrider.x (\n  id nonsense\n);',
      }),
    ).toMatch(
      /^migration_failed: db\/migrations\/0002_wrong\.sql line 4: type "nonsense" does not exist$/,
    );
  });

  it('in a function’s definition', async () => {
    expect(
      await outcome({
        'functions/a/bad.sql':
          'create or replace function outrider.bad()\n  returns integer language sql\nas $$ select 1 $$ nonsense;',
      }),
    ).toMatch(
      /^migration_failed: db\/functions\/a\/bad\.sql line 3: syntax error at or near "nonsense"/,
    );
  });

  it('in a plpgsql body', async () => {
    expect(
      await outcome({
        'functions/bad.sql': '-- first\n' + plpgsql('bad', 'begin\n  retrun 1;\nend'),
      }),
    ).toMatch(
      /^migration_failed: db\/functions\/bad\.sql line 6: syntax error at or near "retrun"/,
    );
  });

  it('in an SQL body that reads what is not there', async () => {
    expect(
      await outcome({
        'functions/bad.sql': sqlFunction('bad', 'select\n  no_such from outrider.posts'),
      }),
    ).toMatch(/^migration_failed: db\/functions\/bad\.sql line 5: column "no_such" does not exist/);
  });

  it('in a view', async () => {
    expect(
      await outcome({
        'views/v.sql': 'create or replace view outrider.v as\nselect no_such from outrider.posts;',
      }),
    ).toMatch(/^migration_failed: db\/views\/v\.sql line 2: column "no_such" does not exist/);
  });

  it('in a block of code', async () => {
    expect(
      await outcome({ 'migrations/0002_do.sql': "do $$ begin raise exception 'enough'; end $$;" }),
    ).toMatch(
      /^migration_failed: db\/migrations\/0002_do\.sql: enough \(PL\/pgSQL function inline_code_block line 1 at RAISE\)/,
    );
  });
});

describe('the folder is refused, by file name, when', () => {
  it('an applied migration was edited', async () => {
    await run();
    expect(await outcome({ 'migrations/0001_posts.sql': `${posts} -- later` })).toMatch(
      /^migration_refused: .*db\/migrations\/0001_posts\.sql was edited/,
    );
  });

  it('but not for the line ends of another system', async () => {
    await folder.write({ 'migrations/0001_posts.sql': `-- posts\n${posts}\n` });
    await run();
    await folder.write({ 'migrations/0001_posts.sql': `-- posts\r\n${posts}\r\n` });
    expect(await run()).toEqual(nothing);
  });

  it('an applied migration was renamed', async () => {
    await run();
    expect(
      await outcome({ 'migrations/0001_posts.sql': null, 'migrations/0001_letters.sql': posts }),
    ).toMatch(
      /^migration_refused: .*0001_letters\.sql was edited after it was applied \(as 0001_posts\)/,
    );
  });

  it('a number is missing', async () => {
    expect(await outcome({ 'migrations/0003_gap.sql': '' })).toMatch(
      /^migration_refused: .*0003_gap\.sql .*number 2 is missing/,
    );
  });

  it('a number comes twice', async () => {
    expect(await outcome({ 'migrations/0001_twin.sql': '' })).toMatch(
      /^migration_refused: .*0001_posts\.sql and .*0001_twin\.sql have the same number/,
    );
  });

  it('a migration has no number', async () => {
    expect(await outcome({ 'migrations/later.sql': '' })).toMatch(
      /^migration_refused: .*later\.sql is not named NNNN_name\.sql/,
    );
  });

  it('the database is newer', async () => {
    await folder.write({ 'migrations/0002_next.sql': 'select 1;' });
    await run();
    expect(await outcome({ 'migrations/0002_next.sql': null })).toMatch(
      /^migration_refused: .*newer than this program: 0002_next/,
    );
  });

  it('two files name the same function', async () => {
    expect(
      await outcome({
        'functions/a/one.sql': sqlFunction('one', 'select 1'),
        'functions/b/one.sql': sqlFunction('one', 'select 1'),
      }),
    ).toMatch(/^migration_refused: .*a\/one\.sql and .*b\/one\.sql have the same name/);
  });

  it('a file does not create the function of its name', async () => {
    expect(await outcome({ 'functions/one.sql': 'select 1;' })).toMatch(
      /^migration_refused: .*functions\/one\.sql does not create outrider\.one/,
    );
  });

  it('a file creates a function of another name', async () => {
    expect(
      await outcome({
        'functions/one.sql': sqlFunction('one', 'select 1') + sqlFunction('two', 'select 2'),
      }),
    ).toMatch(/^migration_refused: .*functions\/one\.sql changes outrider\.two\(\)/);
  });

  it('a file does not create the view of its name', async () => {
    expect(await outcome({ 'views/v.sql': 'create view outrider.w as select 1 as one;' })).toMatch(
      /^migration_refused: .*views\/v\.sql does not create the view outrider\.v/,
    );
  });
});

describe('a function', () => {
  it('is applied again when its text changes, and alone', async () => {
    await folder.write({
      'functions/one.sql': sqlFunction('one', 'select 1'),
      'functions/two.sql': sqlFunction('two', 'select 2'),
    });
    await run();
    await folder.write({ 'functions/one.sql': sqlFunction('one', 'select 11') });
    expect(await run()).toEqual({ ...nothing, functionsChanged: ['one'] });
    expect((await client.query('select outrider.one(), outrider.two()')).rows).toEqual([
      { one: 11, two: 2 },
    ]);
  });

  it('comes back when somebody dropped it by hand', async () => {
    await folder.write({ 'functions/one.sql': sqlFunction('one', 'select 1') });
    await run();
    await client.query('drop function outrider.one()');
    expect(await run()).toEqual({ ...nothing, functionsChanged: ['one'] });
  });

  it('may use functions whose files come later', async () => {
    await folder.write({
      'functions/a.sql': `create function outrider.a(p integer default outrider.b()) returns integer
        language sql as $$ select p + outrider.c() $$;`,
      'functions/b.sql': sqlFunction('b', 'select 40'),
      'functions/c.sql': sqlFunction('c', 'select 2'),
    });
    await run();
    expect((await client.query('select outrider.a()')).rows).toEqual([{ a: 42 }]);
  });

  it('leaves no overload of its old signature', async () => {
    await folder.write({ 'functions/one.sql': sqlFunction('one', 'select 1') });
    await run();
    await folder.write({ 'functions/one.sql': sqlFunction('one', 'select p', 'p integer') });
    await run();
    expect(await signatures()).toEqual(['outrider.one(integer)']);
  });

  it('may change its result type, its parameters’ names and its kind', async () => {
    await folder.write({ 'functions/one.sql': sqlFunction('one', 'select p', 'p integer') });
    await run();
    const texts = [
      "create or replace function outrider.one(p integer) returns text language sql as $$ select 'x' $$;",
      "create or replace function outrider.one(q integer) returns text language sql as $$ select 'y' $$;",
      'create or replace procedure outrider.one(q integer) language plpgsql as $$ begin end $$;',
    ];
    for (const text of texts) {
      await folder.write({ 'functions/one.sql': text });
      expect(await run()).toEqual({ ...nothing, functionsChanged: ['one'] });
      expect(await signatures()).toEqual(['outrider.one(integer)']);
    }
  });

  it('is dropped when its file disappears', async () => {
    await folder.write({ 'functions/one.sql': sqlFunction('one', 'select 1') });
    await run();
    await folder.write({ 'functions/one.sql': null });
    expect(await run()).toEqual({ ...nothing, functionsDropped: ['one'] });
    expect(await signatures()).toEqual([]);
  });

  it('that something else depends on is not dropped from under it', async () => {
    await folder.write({ 'functions/one.sql': sqlFunction('one', 'select 1') });
    await run();
    await folder.write({
      'migrations/0002_default.sql':
        'alter table outrider.posts alter column id set default outrider.one();',
    });
    await run();
    expect(await outcome({ 'functions/one.sql': null })).toMatch(
      /^migration_failed: .*one: cannot drop function outrider\.one\(\) .*\(default value for column id of table outrider\.posts/,
    );
    expect(
      await outcome({ 'functions/one.sql': sqlFunction('one', 'select p', 'p integer') }),
    ).toMatch(/^migration_failed: .*functions\/one\.sql: cannot drop function outrider\.one\(\)/);
    expect(await signatures()).toEqual(['outrider.one()']);
  });

  it('that a view uses takes the view along and brings it back', async () => {
    await folder.write({
      'functions/one.sql': sqlFunction('one', 'select 1'),
      'views/v.sql': 'create or replace view outrider.v as select outrider.one() as one;',
      'views/w.sql': 'create or replace view outrider.w as select one from outrider.v;',
    });
    await run();
    const text =
      "create or replace function outrider.one() returns text language sql as $$ select 'x' $$;";
    await folder.write({ 'functions/one.sql': text });
    await run();
    expect((await client.query('select one from outrider.w')).rows).toEqual([{ one: 'x' }]);
    await folder.write({
      'functions/one.sql': sqlFunction('one', 'select p', 'p integer'),
      'views/v.sql': 'create or replace view outrider.v as select outrider.one(7) as one;',
    });
    await run();
    expect((await client.query('select one from outrider.w')).rows).toEqual([{ one: 7 }]);
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
    await folder.write({ 'functions/guard.sql': guard('guard') + trigger('guarded', 'guard') });
    await run();
    await folder.write({
      'functions/guard.sql':
        guard('guard', 'begin new.body := 1; return new; end') + trigger('guarded', 'guard'),
    });
    await run();
    expect(await triggers()).toEqual(['guarded calls guard']);
  });

  it('of a partitioned table survives them too', async () => {
    const parted = `create table outrider.parted (id integer) partition by range (id);
      create table outrider.parted_rest partition of outrider.parted default;`;
    const onParted = trigger('guarded', 'guard').replace('outrider.posts', 'outrider.parted');
    await folder.write({
      'migrations/0002_parted.sql': parted,
      'functions/guard.sql': guard('guard') + onParted,
    });
    await run();
    await folder.write({ 'functions/guard.sql': `${guard('guard')}-- changed\n${onParted}` });
    await run();
    expect(await triggers()).toEqual(['guarded calls guard', 'guarded calls guard']);
    await folder.write({ 'functions/guard.sql': guard('guard') });
    await run();
    expect(await triggers()).toEqual([]);
  });

  it('that its file no longer creates is dropped', async () => {
    await folder.write({
      'functions/guard.sql':
        guard('guard') + trigger('first', 'guard') + trigger('second', 'guard'),
    });
    await run();
    await folder.write({ 'functions/guard.sql': guard('guard') + trigger('second', 'guard') });
    await run();
    expect(await triggers()).toEqual(['second calls guard']);
  });

  it('moves with its name from a function that goes to one that comes', async () => {
    await folder.write({
      'functions/old_guard.sql': guard('old_guard') + trigger('guarded', 'old_guard'),
    });
    await run();
    await folder.write({
      'functions/old_guard.sql': null,
      'functions/new_guard.sql': guard('new_guard') + trigger('guarded', 'new_guard'),
    });
    expect(await run()).toMatchObject({
      functionsChanged: ['new_guard'],
      functionsDropped: ['old_guard'],
    });
    expect(await triggers()).toEqual(['guarded calls new_guard']);
  });

  it('goes with its file', async () => {
    await folder.write({ 'functions/guard.sql': guard('guard') + trigger('guarded', 'guard') });
    await run();
    await folder.write({ 'functions/guard.sql': null });
    await run();
    expect(await triggers()).toEqual([]);
  });

  it('goes when its function becomes one that no trigger can call', async () => {
    await folder.write({ 'functions/guard.sql': guard('guard') + trigger('guarded', 'guard') });
    await run();
    await folder.write({ 'functions/guard.sql': sqlFunction('guard', 'select 1') });
    await run();
    expect(await triggers()).toEqual([]);
  });

  it('of a migration is never dropped on the way', async () => {
    await folder.write({ 'functions/guard.sql': guard('guard') });
    await run();
    await folder.write({ 'migrations/0002_guard.sql': trigger('guarded', 'guard') });
    await run();
    await folder.write({ 'functions/guard.sql': `${guard('guard')}-- changed` });
    await run();
    expect(await triggers()).toEqual(['guarded calls guard']);
    expect(await outcome({ 'functions/guard.sql': sqlFunction('guard', 'select 1') })).toMatch(
      /^migration_refused: .*functions\/guard\.sql .*trigger guarded on outrider\.posts/,
    );
    expect(await outcome({ 'functions/guard.sql': null })).toMatch(
      /^migration_failed: .*cannot drop function outrider\.guard\(\)/,
    );
    expect(await triggers()).toEqual(['guarded calls guard']);
  });
});

describe('a view', () => {
  it('may change its columns while others build on it', async () => {
    await folder.write({
      'views/a.sql': 'create or replace view outrider.a as select one from outrider.b;',
      'views/b.sql': 'create or replace view outrider.b as select 1 as one;',
    });
    await run();
    await folder.write({
      'views/b.sql': "create or replace view outrider.b as select 'x' as one, 2 as two;",
    });
    expect(await run()).toMatchObject({ viewsChanged: ['b'] });
    expect((await client.query('select one from outrider.a')).rows).toEqual([{ one: 'x' }]);
  });

  it('is dropped when its file disappears', async () => {
    await folder.write({ 'views/a.sql': 'create or replace view outrider.a as select 1 as one;' });
    await run();
    await folder.write({ 'views/a.sql': null });
    expect(await run()).toEqual({ ...nothing, viewsDropped: ['a'] });
    expect((await client.query("select to_regclass('outrider.a') as a")).rows).toEqual([
      { a: null },
    ]);
  });
});

describe('a migration outside of the transaction', () => {
  const opening = '-- outrider: no transaction\n';

  it('may do what a transaction cannot', async () => {
    await folder.write({
      'migrations/0002_index.sql': `${opening}create index concurrently posts_body_idx on outrider.posts (body);
        -- a ; in a comment /* and */
        /* ; /* nested ; */ */
        select ';', e'\\';', "a;" from (select 1 as "a;") s;
        do $do$ begin perform ';'; end $do$;`,
      'migrations/0003_after.sql': 'alter table outrider.posts add column later text;',
    });
    expect((await run()).migrations).toEqual(['0001_posts', '0002_index', '0003_after']);
    expect(
      (await client.query("select to_regclass('outrider.posts_body_idx') is not null as there"))
        .rows,
    ).toEqual([{ there: true }]);
    const owner = "select tableowner::text as owner from pg_tables where tablename = 'posts'";
    expect((await client.query(owner)).rows).toEqual([{ owner: 'outrider_owner' }]);
  });

  it('lets other migrators wait without stopping "concurrently"', async () => {
    await run();
    await folder.write({
      'migrations/0002_index.sql': `${opening}create index concurrently posts_body_idx on outrider.posts (body);`,
    });
    const reports = await Promise.all([run(), run(), run()]);
    expect(reports.flatMap((report) => report.migrations)).toEqual(['0002_index']);
  });

  it('names its line when it fails, and is tried again as a whole', async () => {
    expect(
      await outcome({
        'migrations/0002_half.sql': `${opening}create table if not exists outrider.half (id integer);\n\nselect\n  nonsense;`,
      }),
    ).toMatch(/^migration_failed: .*0002_half\.sql line 5: column "nonsense" does not exist/);
    await folder.write({
      'migrations/0002_half.sql': `${opening}create table if not exists outrider.half (id integer);`,
    });
    expect((await run()).migrations).toEqual(['0002_half']);
  });
});

describe('a database is refused', () => {
  it('when its encoding is not UTF-8', async () => {
    const ascii = await openEmptyDatabase(
      "template template0 encoding 'SQL_ASCII' locale_provider libc lc_collate 'C' lc_ctype 'C'",
    );
    try {
      await expect(migrate(ascii.url, { dir: folder.dir })).rejects.toMatchObject({
        code: 'database_unsuitable',
        message: expect.stringContaining('SQL_ASCII'),
      });
    } finally {
      await ascii.drop();
    }
  });

  it('when its server is older than 15', async () => {
    // A server that says so: its answer about its version stands before the real one.
    await client.query(`
      create function public.current_setting(text) returns text language sql
        as $$ select case $1 when 'server_version_num' then '140012' else pg_catalog.current_setting($1) end $$;
      set search_path = public, pg_catalog`);
    await expect(migrate(client, { dir: folder.dir })).rejects.toMatchObject({
      code: 'database_unsuitable',
      hint: expect.stringContaining('PostgreSQL 15'),
    });
  });

  it('when its schema belongs to somebody else', async () => {
    await client.query('create schema outrider');
    expect(await outcome({})).toMatch(/^migration_refused: .*schema outrider belongs to postgres/);
  });
});

function sqlFunction(name: string, body: string, parameters = ''): string {
  return `create or replace function outrider.${name}(${parameters})
  returns integer
  language sql
as $$ ${body} $$;
`;
}

function plpgsql(name: string, body: string, returns = 'integer'): string {
  return `create or replace function outrider.${name}()
  returns ${returns}
  language plpgsql
as $$ ${body} $$;
`;
}
