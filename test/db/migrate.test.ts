import { describe, expect, it } from 'vitest';
import { migrate } from '../../src/db/migrate/migrate.ts';
import {
  MigratedFolder,
  nothing,
  plpgsql,
  posts,
  sqlFunction,
} from '../support/database/migrated-folder.ts';
import { openEmptyDatabase } from '../support/database/test-database.ts';

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

describe('a migration that meets the lock of another session', () => {
  const altering = { 'migrations/0002_more.sql': 'alter table outrider.posts add column at date;' };

  async function holder(): Promise<string> {
    await schema.client.query('begin');
    await schema.client.query('select from outrider.posts');
    const { rows } = await schema.client.query<{ pid: number }>('select pg_backend_pid() as pid');
    return `process ${rows[0]?.pid}, login postgres, application "outrider test"`;
  }

  it('says for whom it waits, and goes on when the lock is let go', async () => {
    await schema.migrate();
    await schema.write(altering);
    const held = await holder();
    const told = Promise.withResolvers<string>();
    const migrated = schema.migrate({ onWait: told.resolve });
    expect(await told.promise).toContain(`waiting for a lock that is held by ${held}`);
    await schema.client.query('commit');
    expect((await migrated).migrations).toEqual(['0002_more']);
  });

  it('says so when that session migrates, too', async () => {
    await schema.migrate();
    await schema.write(altering);
    await schema.client.query("set application_name = 'outrider migrate'");
    await holder();
    const told = Promise.withResolvers<string>();
    const migrated = schema.migrate({ onWait: told.resolve });
    expect(await told.promise).toMatch(
      /^waiting for another Outrider that brings the database up to date: process \d+, login postgres, in a/,
    );
    await schema.client.query('commit');
    await migrated;
  });

  it('gives up after its limit, in words, and changes nothing', async () => {
    await schema.migrate();
    await schema.write(altering);
    const held = await holder();
    // Enough to find out who holds the lock, which is looked for once a second.
    await expect(schema.migrate({ lockTimeoutMs: 5500 })).rejects.toMatchObject({
      code: 'database_busy',
      message: expect.stringContaining(
        `the migration gave up after 6 s: waiting for a lock that is held by ${held}`,
      ),
      hint: expect.stringContaining('pg_terminate_backend'),
    });
    await schema.client.query('commit');
    expect((await schema.migrate()).migrations).toEqual(['0002_more']);
  });

  it('is broken off by its signal', async () => {
    await schema.migrate();
    await schema.write(altering);
    await holder();
    const stopping = new AbortController();
    const migrated = schema.migrate({ onWait: () => stopping.abort(), signal: stopping.signal });
    await expect(migrated).rejects.toMatchObject({ code: 'database_away' });
    await schema.client.query('commit');
    expect((await schema.migrate()).migrations).toEqual(['0002_more']);
  });

  it('is not kept waiting by the advisory locks of anybody', async () => {
    await schema.client.query('select pg_advisory_lock(7170131002), pg_advisory_lock(1)');
    expect((await schema.migrate()).migrations).toEqual(['0001_posts']);
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
      do $$ begin
        execute format('alter database %I set search_path = public, pg_catalog', current_database());
      end $$`);
    await expect(schema.migrate()).rejects.toMatchObject({
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
