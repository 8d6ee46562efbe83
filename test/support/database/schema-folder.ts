import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { runPrefix } from '../runner/run-folders.ts';

export type SchemaTexts = Readonly<Record<string, string>>;

/** A schema folder with the real roles.sql, and with files that the test writes. */
export interface SchemaFolder {
  readonly dir: string;
  /** Adds or replaces files; null removes one. */
  write(files: Readonly<Record<string, string | null>>): Promise<void>;
  remove(): Promise<void>;
}

export async function schemaFolder(files: SchemaTexts): Promise<SchemaFolder> {
  const dir = path.join(await mkdtemp(path.join(os.tmpdir(), runPrefix)), 'db');
  await mkdir(dir);
  await copyFile(
    path.resolve(import.meta.dirname, '../../../db/roles.sql'),
    path.join(dir, 'roles.sql'),
  );
  const folder: SchemaFolder = {
    dir,
    async write(changes) {
      for (const [name, text] of Object.entries(changes)) {
        const file = path.join(dir, name);
        await mkdir(path.dirname(file), { recursive: true });
        if (text === null) await rm(file);
        else await writeFile(file, text);
      }
    },
    remove: () => rm(path.dirname(dir), { recursive: true, force: true }),
  };
  await folder.write(files);
  return folder;
}
