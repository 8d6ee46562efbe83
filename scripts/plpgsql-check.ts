// Lets the extension plpgsql_check judge the functions, on a throwaway server that has it.
import { execFileSync, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startServer } from '../src/db/embedded/server.ts';
import { migrate } from '../src/db/migrate/migrate.ts';

const query = join(import.meta.dirname, 'plpgsql-check.sql');
const majors = [15, 16, 17, 18];

/** What plpgsql_check finds in the schema of a folder; undefined where it cannot be installed. */
export async function plpgsqlFindings(dir: string): Promise<string[] | undefined> {
  const major = installed() ?? install();
  if (major === undefined) return undefined;
  const binDir = `/usr/lib/postgresql/${major}/bin`;
  const dataDir = join(tmpdir(), `outrider-check-${randomUUID()}`);
  const server = await startServer({ dataDir, binDir, settings: { fsync: false } });
  try {
    await migrate(server.url(), { dir });
    const options = ['-X', '-q', '-A', '-t', '-v', 'ON_ERROR_STOP=1', '-f', query, server.url()];
    const lines = execFileSync(join(binDir, 'psql'), options, { encoding: 'utf8' });
    return lines.split('\n').filter((line) => line !== '');
  } finally {
    await server.stop();
    rmSync(server.home, { recursive: true });
  }
}

/** The first version of PostgreSQL that Debian has installed here with the extension. */
function installed(): number | undefined {
  return majors.find((major) =>
    existsSync(`/usr/share/postgresql/${major}/extension/plpgsql_check.control`),
  );
}

function install(): number | undefined {
  if (process.getuid?.() !== 0 || !apt('update')) return undefined;
  return majors.find((major) =>
    apt('install', '-y', '--no-install-recommends', `postgresql-${major}-plpgsql-check`),
  );
}

function apt(...words: string[]): boolean {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  return spawnSync('apt-get', words, { env }).status === 0;
}
