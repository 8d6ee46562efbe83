import { existsSync } from 'node:fs';

export interface TestServer {
  readonly project: 'pg18' | 'pg15';
  readonly major: number;
  /** Where its programs are; undefined means those of the npm package. */
  readonly binDir: string | undefined;
}

const debian15 = '/usr/lib/postgresql/15/bin';

export const has15 = existsSync(`${debian15}/postgres`);

/** The servers to test on: the newest supported version, and the oldest one if it is installed. */
export const servers: readonly TestServer[] = [
  { project: 'pg18', major: 18, binDir: undefined },
  ...(has15 ? [{ project: 'pg15', major: 15, binDir: debian15 } as const] : []),
];

/** Files of test/db that run on the newest version only: they depend on chance, or read texts and no plan. */
export const onNewestOnly: readonly string[] = [
  'test/db/concurrency.test.ts',
  'test/db/intake-race.test.ts',
  'test/db/markup-html.test.ts',
  'test/db/markup-markdown.test.ts',
  'test/db/outbox-concurrency.test.ts',
];
