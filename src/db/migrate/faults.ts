import pg from 'pg';
import { fromPostgres, OutriderError } from '../../errors.ts';
import type { SqlFile } from './files.ts';

/** The folder and the database do not fit together; nothing was changed. */
export function refusal(fault: string, hint: string): OutriderError {
  return new OutriderError('migration_refused', fault, { hint });
}

/** PostgreSQL refused a file: says which, in which line, and why. */
export function fileFault(file: SqlFile, error: unknown): Error {
  if (!(error instanceof pg.DatabaseError))
    return error instanceof Error ? error : fromPostgres(error);
  if (error.code === lockTimedOut) return fromPostgres(error);
  const line = lineOf(file, error);
  const where = error.where?.split('\n').find((entry) => entry.startsWith('PL/pgSQL function'));
  const parts = [
    `${file.path}${line === undefined ? '' : ` line ${line}`}: ${error.message}`,
    where === undefined ? '' : ` (${where})`,
    // Only this detail is shown, since it names objects; others quote rows.
    error.code === dependentsExist && error.detail !== undefined ? ` (${error.detail})` : '',
  ];
  return new OutriderError('migration_failed', parts.join(''), {
    sqlstate: error.code,
    hint: error.code === dependentsExist ? dropFirst : error.hint,
  });
}

/** Not the file's fault: another session holds what it needs. */
export const lockTimedOut = '55P03';

const dependentsExist = '2BP01';
const dropFirst = 'drop or change what depends on it in a migration of its own';

export function hasState(error: unknown, ...states: string[]): boolean {
  return (
    error instanceof pg.DatabaseError && error.code !== undefined && states.includes(error.code)
  );
}

function lineOf(file: SqlFile, error: pg.DatabaseError): number | undefined {
  if (error.position !== undefined) return lineAt(file.text, 0, error.position);
  // A function's body checked after it was created: the position counts within the body.
  if (error.internalPosition === undefined || error.internalQuery === undefined) return undefined;
  const start = file.text.indexOf(error.internalQuery);
  return start === -1 ? undefined : lineAt(file.text, start, error.internalPosition);
}

// Positions count characters from one; JavaScript counts UTF-16 units.
function lineAt(text: string, offset: number, position: string): number {
  const within = Array.from(text.slice(offset))
    .slice(0, Number(position) - 1)
    .join('');
  return (text.slice(0, offset) + within).split('\n').length;
}
