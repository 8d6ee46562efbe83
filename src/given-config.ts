// A configuration that a program gives in part; the environment gives the rest.

import path from 'node:path';
import { type Config, loadConfig } from './config.ts';

type Section = 'http' | 'media' | 's3' | 'status' | 'apiUrls' | 'alerts' | 'outbox';

/** Any values of the configuration, also single ones of its sections. */
export type GivenConfig = Given<Omit<Config, Section>> & {
  readonly [Name in Section]?: Given<Config[Name]> | undefined;
};

type Given<Values> = { readonly [Name in keyof Values]?: Values[Name] | undefined };

export function configOf(given: GivenConfig): Config {
  const base = loadConfig();
  const { http, media, s3, status, apiUrls, alerts, outbox, ...single } = given;
  return Object.freeze({
    ...over<Omit<Config, Section>>(base, single),
    ...foldersIn(given),
    http: Object.freeze(over(base.http, http)),
    media: Object.freeze(over(base.media, media)),
    s3: Object.freeze(over(base.s3, s3)),
    status: Object.freeze(over(base.status, status)),
    apiUrls: Object.freeze(over(base.apiUrls, apiUrls)),
    alerts: Object.freeze(over(base.alerts, alerts)),
    outbox: Object.freeze(over(base.outbox, outbox)),
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

/** A value that is given as undefined is not given. */
function over<Values extends object>(base: Values, given: Given<Values> = {}): Values {
  const merged = { ...base };
  for (const name in base) {
    const value = given[name];
    if (value !== undefined) merged[name] = value;
  }
  return merged;
}
