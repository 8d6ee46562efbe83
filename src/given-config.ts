// A configuration that a program gives in part; the environment gives the rest.

import path from 'node:path';
import { type Config, loadConfig } from './config.ts';

type Section = 'http' | 'media' | 'apiUrls' | 'alerts' | 'outbox';

/** Any values of the configuration, also single ones of its sections. */
export type GivenConfig = Partial<Omit<Config, Section>> & {
  readonly [Name in Section]?: Partial<Config[Name]>;
};

export function configOf(given: GivenConfig): Config {
  const base = loadConfig();
  return Object.freeze({
    ...base,
    ...foldersIn(given.dataDir),
    ...given,
    http: Object.freeze({ ...base.http, ...given.http }),
    media: Object.freeze({ ...base.media, ...given.media }),
    apiUrls: Object.freeze({ ...base.apiUrls, ...given.apiUrls }),
    alerts: Object.freeze({ ...base.alerts, ...given.alerts }),
    outbox: Object.freeze({ ...base.outbox, ...given.outbox }),
  });
}

/** When a program gives a data folder, the database and the media are in it. */
function foldersIn(dataDir: string | undefined): Partial<Config> {
  if (dataDir === undefined) return {};
  const [postgresDir, mediaDir] = [path.join(dataDir, 'postgres'), path.join(dataDir, 'media')];
  return { isDataDirChosen: true, postgresDir, mediaDir };
}
