import path from 'node:path';
import { z } from 'zod';
import { OutriderError } from './errors.ts';

// An empty variable counts as unset: that is how compose files and CI leave optional ones.
const text = z
  .string()
  .optional()
  .transform((value) => (value === undefined || value.trim() === '' ? undefined : value.trim()));

const environment = z.object({
  DATABASE_URL: text.refine(
    (value) => value === undefined || /^postgres(ql)?:\/\//.test(value),
    'must be a postgres:// address',
  ),
  OUTRIDER_DATA_DIR: text,
});

export interface Config {
  /** The server to use; undefined: the embedded one. */
  readonly databaseUrl: string | undefined;
  /** Where everything is kept that Outrider keeps itself. */
  readonly dataDir: string;
  /** The embedded server's folder. */
  readonly postgresDir: string;
}

/** Reads the configuration once; nothing else reads the environment. */
export function loadConfig(env: NodeJS.ProcessEnv = process.env, cwd = process.cwd()): Config {
  const parsed = environment.safeParse(env);
  if (!parsed.success) {
    // The values are not quoted: an address carries a password.
    const faults = parsed.error.issues.map((issue) => `${issue.path.join('.')} ${issue.message}`);
    throw new OutriderError('configuration', faults.join('; '), {
      hint: 'correct the environment variable and start again',
    });
  }
  const dataDir = path.resolve(cwd, parsed.data.OUTRIDER_DATA_DIR ?? '.outrider');
  return Object.freeze({
    databaseUrl: parsed.data.DATABASE_URL,
    dataDir,
    postgresDir: path.join(dataDir, 'postgres'),
  });
}
