import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { refusal } from './faults.ts';

export interface SqlFile {
  /** The function's or view's name; for a migration its number and name. */
  readonly name: string;
  /** For messages, such as db/migrations/0001_workspaces.sql. */
  readonly path: string;
  readonly text: string;
  readonly checksum: string;
}

export interface Migration extends SqlFile {
  readonly number: number;
}

export interface SchemaFiles {
  readonly roles: SqlFile;
  readonly migrations: readonly Migration[];
  readonly functions: readonly SqlFile[];
  readonly views: readonly SqlFile[];
}

/** Reads the folder that holds roles.sql, migrations/, functions/ and views/. */
export async function readSchemaFiles(dir: string): Promise<SchemaFiles> {
  const [roles, migrations, functions, views] = await Promise.all([
    readSql(path.join(dir, 'roles.sql'), dir),
    readFolder(path.join(dir, 'migrations'), dir),
    readFolder(path.join(dir, 'functions'), dir),
    readFolder(path.join(dir, 'views'), dir),
  ]);
  refuseDuplicates(functions);
  refuseDuplicates(views);
  return { roles, migrations: numbered(migrations), functions, views };
}

async function readFolder(folder: string, dir: string): Promise<SqlFile[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const paths = entries
    .filter((entry) => entry.isFile() && entry.name.endsWith('.sql'))
    .map((entry) => path.join(entry.parentPath, entry.name))
    .toSorted();
  return Promise.all(paths.map((file) => readSql(file, dir)));
}

async function readSql(file: string, dir: string): Promise<SqlFile> {
  const shown = path.join(path.basename(dir), path.relative(dir, file));
  const raw = await readFile(file, 'utf8').catch(() => {
    throw refusal(`${shown} cannot be read`, `the folder ${dir} is not complete`);
  });
  const text = raw.replaceAll('\r\n', '\n'); // a checkout on Windows is the same file
  const checksum = createHash('sha256').update(text).digest('hex');
  return { name: path.basename(file, '.sql'), path: shown, text, checksum };
}

function numbered(files: readonly SqlFile[]): Migration[] {
  return files.map((file, index) => {
    const digits = /^(\d{4})_[a-z0-9_]+$/.exec(file.name)?.[1];
    if (digits === undefined) {
      throw refusal(`${file.path} is not named NNNN_name.sql`, 'rename it');
    }
    const number = Number(digits);
    const before = files[index - 1];
    if (number === index && before !== undefined) {
      throw refusal(
        `${before.path} and ${file.path} have the same number`,
        'renumber the newer one',
      );
    }
    if (number !== index + 1) {
      throw refusal(
        `${file.path} follows ${before?.path ?? 'nothing'}: number ${index + 1} is missing`,
        'numbers count from 0001 without gaps',
      );
    }
    return { ...file, number };
  });
}

function refuseDuplicates(files: readonly SqlFile[]): void {
  const seen = new Map<string, string>();
  for (const file of files) {
    const other = seen.get(file.name);
    if (other !== undefined) {
      throw refusal(`${other} and ${file.path} have the same name`, 'one name, one file');
    }
    seen.set(file.name, file.path);
  }
}
