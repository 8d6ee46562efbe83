// A configuration that a program gives in part; the environment gives the rest.

import path from 'node:path';
import { type Config, loadConfig } from './config.ts';

type Section = 'http' | 'media' | 's3' | 'apiUrls' | 'alerts' | 'outbox';

/** Any values of the configuration, also single ones of its sections. */
export type GivenConfig = Given<Omit<Config, Section>> & {
  readonly [Name in Section]?: Given<Config[Name]> | undefined;
};

type Given<Values> = { readonly [Name in keyof Values]?: Values[Name] | undefined };

export function configOf(given: GivenConfig): Config {
  const base = loadConfig();
  return Object.freeze({
    ...base,
    ...defined(given),
    ...foldersIn(given),
    http: Object.freeze({ ...base.http, ...defined(given.http) }),
    media: Object.freeze({ ...base.media, ...defined(given.media) }),
    s3: Object.freeze({ ...base.s3, ...defined(given.s3) }),
    apiUrls: Object.freeze({ ...base.apiUrls, ...defined(given.apiUrls) }),
    alerts: Object.freeze({ ...base.alerts, ...defined(given.alerts) }),
    outbox: Object.freeze({ ...base.outbox, ...defined(given.outbox) }),
  });
}

/** When a program gives a data folder, the database and the media are in it. */
function foldersIn(given: GivenConfig): Partial<Config> {
  if (given.dataDir === undefined) return {};
  const dataDir = path.resolve(given.dataDir);
  return {
    dataDir,
    isDataDirChosen: given.isDataDirChosen ?? true,
    postgresDir: given.postgresDir ?? path.join(dataDir, 'postgres'),
    mediaDir: given.mediaDir ?? path.join(dataDir, 'media'),
  };
}

type Defined<Values> = { [Name in keyof Values]?: Exclude<Values[Name], undefined> };

/** A value that is given as undefined is not given. */
function defined<Values extends object>(values: Values | undefined): Defined<Values> {
  const given = Object.entries(values ?? {}).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given) as Defined<Values>;
}
