import type pg from 'pg';
import { afterEach, beforeEach } from 'vitest';
import {
  type MigrateOptions,
  type MigrationReport,
  migrate,
  nothingMigrated,
} from '../../../src/db/migrate/migrate.ts';
import { openClient } from '../../../src/db/pool.ts';
import { OutriderError } from '../../../src/errors.ts';
import { type SchemaFolder, schemaFolder } from './schema-folder.ts';
import { openEmptyDatabase } from './test-database.ts';

export const posts = 'create table outrider.posts (id integer primary key, body text);';

export { nothingMigrated as nothing };

/** Gives each test an empty database and a schema folder with one migration, to change and apply. */
export class MigratedFolder {
  #database: Awaited<ReturnType<typeof openEmptyDatabase>> | undefined;
  #folder: SchemaFolder | undefined;
  #client: pg.Client | undefined;

  constructor() {
    beforeEach(async () => {
      this.#database = await openEmptyDatabase();
      this.#client = await openClient({
        url: this.#database.url,
        applicationName: 'outrider test',
      });
      this.#folder = await schemaFolder({ 'migrations/0001_posts.sql': posts });
    });
    afterEach(async () => {
      await this.#client?.end();
      await this.#database?.drop();
      await this.#folder?.remove();
    });
  }

  get client(): pg.Client {
    return there(this.#client);
  }

  get dir(): string {
    return there(this.#folder).dir;
  }

  write(files: Parameters<SchemaFolder['write']>[0]): Promise<void> {
    return there(this.#folder).write(files);
  }

  migrate(options: Omit<MigrateOptions, 'dir'> = {}): Promise<MigrationReport> {
    return migrate(there(this.#database).url, { dir: this.dir, ...options });
  }

  /** Writes the changes and migrates; answers with the fault. */
  async outcome(files: Parameters<SchemaFolder['write']>[0]): Promise<string> {
    await this.write(files);
    const fault: unknown = await this.migrate().catch((error: unknown) => error);
    return fault instanceof OutriderError
      ? `${fault.code}: ${fault.message}`
      : 'nothing was refused';
  }
}

function there<Thing>(thing: Thing | undefined): Thing {
  if (thing === undefined) throw new Error('outside of a test');
  return thing;
}

export function sqlFunction(name: string, body: string, parameters = ''): string {
  return `create or replace function outrider.${name}(${parameters})
  returns integer
  language sql
as $$ ${body} $$;
`;
}

export function plpgsql(name: string, body: string, returns = 'integer'): string {
  return `create or replace function outrider.${name}()
  returns ${returns}
  language plpgsql
as $$ ${body} $$;
`;
}
