// The user that PostgreSQL runs as. It refuses to run as root.

import { stat } from 'node:fs/promises';
import { runProgram, serverFault } from './program.ts';

/** The unprivileged user that the server runs as. */
export interface Account {
  readonly uid: number;
  readonly gid: number;
}

// The usual user is taken if it exists; else one is made.
const knownNames = ['postgres', 'outrider'];
const creators: readonly (readonly [string, readonly string[]])[] = [
  [
    'useradd',
    ['--system', '--user-group', '--no-create-home', '--shell', '/usr/sbin/nologin', 'outrider'],
  ],
  ['adduser', ['-S', '-D', '-H', 'outrider']], // BusyBox
];

/** The account that runs the server on this data folder; undefined: our own, which is not root. */
export async function serverAccount(dataDir: string): Promise<Account | undefined> {
  if (process.getuid === undefined) return undefined;
  const ours = process.getuid();
  const owner = await stat(dataDir).catch(() => undefined);
  if (ours !== 0) {
    if (owner === undefined || owner.uid === ours) return undefined;
    throw serverFault(
      `the data folder ${dataDir} belongs to another user (uid ${owner.uid})`,
      'run as that user or as root, or set OUTRIDER_DATA_DIR to a folder of your own',
    );
  }
  if (owner !== undefined && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid };
  return (await knownAccount()) ?? createAccount();
}

async function knownAccount(): Promise<Account | undefined> {
  for (const name of knownNames) {
    const [uid, gid] = await Promise.all([numericId('-u', name), numericId('-g', name)]);
    if (uid !== undefined && gid !== undefined && uid !== 0) return { uid, gid };
  }
  return undefined;
}

async function numericId(kind: '-u' | '-g', name: string): Promise<number | undefined> {
  const end = await runProgram('id', [kind, name]);
  return end.code === 0 ? Number.parseInt(end.output, 10) : undefined;
}

async function createAccount(): Promise<Account> {
  const said: string[] = [];
  for (const [program, args] of creators) {
    const end = await runProgram(program, args);
    // Another process may have made it first, which is as good.
    const account = await knownAccount();
    if (account !== undefined) return account;
    said.push(`${program}: ${end.output}`);
  }
  throw serverFault(
    `PostgreSQL does not run as root, and no user could be made for it (${said.join('; ')})`,
    'create a system user named postgres, or run Outrider as an ordinary user, or set DATABASE_URL',
  );
}
