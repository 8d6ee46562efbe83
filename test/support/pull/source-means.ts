import type { Look, SourceMeans } from '../../../src/pull/source.ts';
import { createSecrets } from '../../../src/secrets.ts';

/** What a source may use in a test: servers of this machine, and the given secrets. */
export function means(
  environment: Record<string, string> = {},
  privateHosts = ['127.0.0.1'],
): SourceMeans {
  return {
    secrets: createSecrets(environment),
    privateHosts,
    token: () => Promise.reject(new Error('this kind takes no credential')),
    apiUrls: {},
  };
}

/** The first look at a source, with what the test changes. */
export function firstLook(changes: Partial<Look> = {}): Look {
  return {
    cursor: {},
    limit: 100,
    signal: new AbortController().signal,
    beforeCall: async () => undefined,
    ...changes,
  };
}
