import { describe, expect, it } from 'vitest';
import { migrate } from '../../src/db/migrate/migrate.ts';
import { openEmptyDatabase } from '../support/database.ts';
import {
  MigratedFolder,
  nothing,
  plpgsql,
  posts,
  sqlFunction,
} from '../support/migrated-folder.ts';

const schema = new MigratedFolder();

describe('migrating', () => {
  it('applies migrations, functions and views, and says what it did', async () => {
    await schema.write({
      'migrations/0002_more.sql': 'alter table outrider.posts add column at timestamptz;',
      'functions/area/count_posts.sql': sqlFunction(
        'count_posts',
        'select count(*)::int from outrider.posts',
      ),
      'views/post_ids.sql':
        'create or replace view outrider.post_ids as select id from outrider.posts;',
    });
    expect(await schema.migrate()).toEqual({
      ...nothing,
      migrations: ['0001_posts', '0002_more'],
      functionsChanged: ['count_posts'],
      viewsChanged: ['post_ids'],
    });
    expect(
      (
        await schema.client.query(
          'select outrider.count_posts(), (select count(*)::int from outrider.post_ids) as ids',
        )
      ).rows,
    ).toEqual([{ count_posts: 0, ids: 0 }]);
  });

  it('finds nothing to do the second time', async () => {
    await schema.migrate();
    expect(await schema.migrate()).toEqual(nothing);
  });

  it('leaves everything to the owner, not to whoever migrates', async () => {
    await schema.write({ 'functions/one.sql': sqlFunction('one', 'select 1') });
    await schema.migrate();
    const { rows } = await schema.client.query(
      `select nspowner::regrole::text as owner from pg_namespace where nspname = 'outrider'
       union select relowner::regrole::text from pg_class where relnamespace = 'outrider'::regnamespace
       union select proowner::regrole::text from pg_proc where pronamespace = 'outrider'::regnamespace`,
    );
    expect(rows).toEqual([{ owner: 'outrider_owner' }]);
  });

  it('does each thing once when several migrators start together', async () => {
    const reports = await Promise.all([schema.migrate(), schema.migrate(), schema.migrate()]);
    expect(reports.filter((report) => report.migrations.length > 0)).toHaveLength(1);
    expect(reports.filter((report) => report.migrations.length === 0)).toEqual([nothing, nothing]);
  });

  it('works on a client of the caller’s and leaves it as it was', async () => {
    await schema.client.query("set search_path = 'public'");
    await migrate(schema.client, { dir: schema.dir });
    const { rows } = await schema.client.query(
      `select current_user = session_user as self, current_setting('search_path') as path,
              (select count(*)::int from pg_locks where locktype = 'advisory' and pid = pg_backend_pid()) as locks`,
    );
    expect(rows).toEqual([{ self: true, path: 'public', locks: 0 }]);
  });

  it('changes nothing at all when one file fails', async () => {
    await schema.write({ 'migrations/0002_wrong.sql': 'create table outrider.x (id nonsense);' });
    await expect(schema.migrate()).rejects.toThrow(/nonsense/);
    const { rows } = await schema.client.query("select to_regnamespace('outrider') as schema");
    expect(rows).toEqual([{ schema: null }]);
  });
});

describe('a fault is reported with file, line and message', () => {
  it('in a migration', async () => {
    expect(
      await schema.outcome({
        'migrations/0002_wrong.sql': '-- ёж\n\ncreate table outrider.x (\n  id nonsense\n);',
      }),
    ).toMatch(
      /^migration_failed: db\/migrations\/0002_wrong\.sql line 4: type "nonsense" does not exist$/,
    );
  });

  it('in a function’s definition', async () => {
    expect(
      await schema.outcome({
        'functions/a/bad.sql':
          'create or replace function outrider.bad()\n  returns integer language sql\nas $$ select 1 $$ nonsense;',
      }),
    ).toMatch(
      /^migration_failed: db\/functions\/a\/bad\.sql line 3: syntax error at or near "nonsense"/,
    );
  });

  it('in a plpgsql body', async () => {
    expect(
      await schema.outcome({
        'functions/bad.sql': '-- first\n' + plpgsql('bad', 'begin\n  retrun 1;\nend'),
      }),
    ).toMatch(
      /^migration_failed: db\/functions\/bad\.sql line 6: syntax error at or near "retrun"/,
    );
  });

  it('in an SQL body that reads what is not there', async () => {
    expect(
      await schema.outcome({
        'functions/bad.sql': sqlFunction('bad', 'select\n  no_such from outrider.posts'),
      }),
    ).toMatch(/^migration_failed: db\/functions\/bad\.sql line 5: column "no_such" does not exist/);
  });

  it('in a view', async () => {
    expect(
      await schema.outcome({
        'views/v.sql': 'create or replace view outrider.v as\nselect no_such from outrider.posts;',
      }),
    ).toMatch(/^migration_failed: db\/views\/v\.sql line 2: column "no_such" does not exist/);
  });

  it('in a block of code', async () => {
    expect(
      await schema.outcome({
        'migrations/0002_do.sql': "do $$ begin raise exception 'enough'; end $$;",
      }),
    ).toMatch(
      /^migration_failed: db\/migrations\/0002_do\.sql: enough \(PL\/pgSQL function inline_code_block line 1 at RAISE\)/,
    );
  });
});

describe('the folder is refused, by file name, when', () => {
  it('an applied migration was edited', async () => {
    await schema.migrate();
    expect(await schema.outcome({ 'migrations/0001_posts.sql': `${posts} -- later` })).toMatch(
      /^migration_refused: .*db\/migrations\/0001_posts\.sql was edited/,
    );
  });

  it('but not for the line ends of another system', async () => {
    await schema.write({ 'migrations/0001_posts.sql': `-- posts\n${posts}\n` });
    await schema.migrate();
    await schema.write({ 'migrations/0001_posts.sql': `-- posts\r\n${posts}\r\n` });
    expect(await schema.migrate()).toEqual(nothing);
  });

  it('an applied migration was renamed', async () => {
    await schema.migrate();
    expect(
      await schema.outcome({
        'migrations/0001_posts.sql': null,
        'migrations/0001_letters.sql': posts,
      }),
    ).toMatch(
      /^migration_refused: .*0001_letters\.sql was edited after it was applied \(as 0001_posts\)/,
    );
  });

  it('a number is missing', async () => {
    expect(await schema.outcome({ 'migrations/0003_gap.sql': '' })).toMatch(
      /^migration_refused: .*0003_gap\.sql .*number 2 is missing/,
    );
  });

  it('a number comes twice', async () => {
    expect(await schema.outcome({ 'migrations/0001_twin.sql': '' })).toMatch(
      /^migration_refused: .*0001_posts\.sql and .*0001_twin\.sql have the same number/,
    );
  });

  it('a migration has no number', async () => {
    expect(await schema.outcome({ 'migrations/later.sql': '' })).toMatch(
      /^migration_refused: .*later\.sql is not named NNNN_name\.sql/,
    );
  });

  it('the database is newer', async () => {
    await schema.write({ 'migrations/0002_next.sql': 'select 1;' });
    await schema.migrate();
    expect(await schema.outcome({ 'migrations/0002_next.sql': null })).toMatch(
      /^migration_refused: .*newer than this program: 0002_next/,
    );
  });

  it('two files name the same function', async () => {
    expect(
      await schema.outcome({
        'functions/a/one.sql': sqlFunction('one', 'select 1'),
        'functions/b/one.sql': sqlFunction('one', 'select 1'),
      }),
    ).toMatch(/^migration_refused: .*a\/one\.sql and .*b\/one\.sql have the same name/);
  });

  it('a file does not create the function of its name', async () => {
    expect(await schema.outcome({ 'functions/one.sql': 'select 1;' })).toMatch(
      /^migration_refused: .*functions\/one\.sql does not create outrider\.one/,
    );
  });

  it('a file creates a function of another name', async () => {
    expect(
      await schema.outcome({
        'functions/one.sql': sqlFunction('one', 'select 1') + sqlFunction('two', 'select 2'),
      }),
    ).toMatch(/^migration_refused: .*functions\/one\.sql changes outrider\.two\(\)/);
  });

  it('a file does not create the view of its name', async () => {
    expect(
      await schema.outcome({ 'views/v.sql': 'create view outrider.w as select 1 as one;' }),
    ).toMatch(/^migration_refused: .*views\/v\.sql does not create the view outrider\.v/);
  });
});

describe('a migration outside of the transaction', () => {
  const opening = '-- outrider: no transaction\n';

  it('may do what a transaction cannot', async () => {
    await schema.write({
      'migrations/0002_index.sql': `${opening}create index concurrently posts_body_idx on outrider.posts (body);
        -- a ; in a comment /* and */
        /* ; /* nested ; */ */
        select ';', e'\\';', "a;" from (select 1 as "a;") s;
        do $do$ begin perform ';'; end $do$;`,
      'migrations/0003_after.sql': 'alter table outrider.posts add column later text;',
    });
    expect((await schema.migrate()).migrations).toEqual(['0001_posts', '0002_index', '0003_after']);
    expect(
      (
        await schema.client.query(
          "select to_regclass('outrider.posts_body_idx') is not null as there",
        )
      ).rows,
    ).toEqual([{ there: true }]);
    const owner = "select tableowner::text as owner from pg_tables where tablename = 'posts'";
    expect((await schema.client.query(owner)).rows).toEqual([{ owner: 'outrider_owner' }]);
  });

  it('lets other migrators wait without stopping "concurrently"', async () => {
    await schema.migrate();
    await schema.write({
      'migrations/0002_index.sql': `${opening}create index concurrently posts_body_idx on outrider.posts (body);`,
    });
    const reports = await Promise.all([schema.migrate(), schema.migrate(), schema.migrate()]);
    expect(reports.flatMap((report) => report.migrations)).toEqual(['0002_index']);
  });

  it('names its line when it fails, and is tried again as a whole', async () => {
    expect(
      await schema.outcome({
        'migrations/0002_half.sql': `${opening}create table if not exists outrider.half (id integer);\n\nselect\n  nonsense;`,
      }),
    ).toMatch(/^migration_failed: .*0002_half\.sql line 5: column "nonsense" does not exist/);
    await schema.write({
      'migrations/0002_half.sql': `${opening}create table if not exists outrider.half (id integer);`,
    });
    expect((await schema.migrate()).migrations).toEqual(['0002_half']);
  });
});

describe('a database is refused', () => {
  it('when its encoding is not UTF-8', async () => {
    const ascii = await openEmptyDatabase(
      "template template0 encoding 'SQL_ASCII' locale_provider libc lc_collate 'C' lc_ctype 'C'",
    );
    try {
      await expect(migrate(ascii.url, { dir: schema.dir })).rejects.toMatchObject({
        code: 'database_unsuitable',
        message: expect.stringContaining('SQL_ASCII'),
      });
    } finally {
      await ascii.drop();
    }
  });

  it('when its server is older than 15', async () => {
    // A server that says so: its answer about its version stands before the real one.
    await schema.client.query(`
      create function public.current_setting(text) returns text language sql
        as $$ select case $1 when 'server_version_num' then '140012' else pg_catalog.current_setting($1) end $$;
      set search_path = public, pg_catalog`);
    await expect(migrate(schema.client, { dir: schema.dir })).rejects.toMatchObject({
      code: 'database_unsuitable',
      hint: expect.stringContaining('PostgreSQL 15'),
    });
  });

  it('when its schema belongs to somebody else', async () => {
    await schema.client.query('create schema outrider');
    expect(await schema.outcome({})).toMatch(
      /^migration_refused: .*schema outrider belongs to postgres/,
    );
  });
});
