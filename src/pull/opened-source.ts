// Opens a source by its configuration, with its credential.

import type { ClaimedSource } from '../db/pull.ts';
import type { Secrets } from '../secrets.ts';
import type { Preparation } from './prepared-post.ts';
import type { PostReader } from './readers.ts';
import type { Source, SourceKind, SourceMeans } from './source.ts';
import { type CommonKeys, type ConfigIssue, readSourceConfig } from './source-config.ts';
import { SourceError } from './source-error.ts';

/** What sources are opened with, whichever they are. */
export interface OpeningMeans {
  readonly kinds: readonly SourceKind[];
  readonly readers: Readonly<Record<string, PostReader>>;
  readonly means: Omit<SourceMeans, 'token'>;
}

export interface OpenedSource {
  readonly source: Source;
  readonly common: CommonKeys;
  readonly preparation: Preparation;
}

/** What a claim and a listing both say of a source. */
type Configured = Pick<ClaimedSource, 'kind' | 'config' | 'authRef' | 'secretRef' | 'platform'>;

/** Throws SourceError when its configuration makes no sense. */
export function openClaimed(opening: OpeningMeans, source: Configured): OpenedSource {
  const kind = opening.kinds.find((each) => each.name === source.kind);
  if (kind === undefined) {
    throw new SourceError(`this version of Outrider cannot read sources of kind ${source.kind}`);
  }
  const read = readSourceConfig(kind, source.config);
  if (!read.ok) {
    throw new SourceError(`its config is wrong: ${read.issues.map(issueInWords).join('; ')}`, {
      hint: 'correct the file and apply it',
    });
  }
  const token = () => tokenOf(opening.means.secrets, source, kind);
  const { tags, reader } = read.common;
  return {
    source: kind.open(read.own, { ...opening.means, token }),
    common: read.common,
    preparation: { tags, reader: reader === undefined ? undefined : opening.readers[reader] },
  };
}

function issueInWords({ path, message }: ConfigIssue): string {
  return path.length === 0 ? message : `${path.map(String).join('.')} ${message}`;
}

async function tokenOf(secrets: Secrets, source: Configured, kind: SourceKind): Promise<string> {
  const { authRef, secretRef, platform } = source;
  if (authRef === null)
    throw new SourceError('it names no credential', { hint: 'give it an auth_ref' });
  if (platform === null) {
    throw new SourceError(`credential ${authRef} is not configured`, {
      hint: 'put it under credentials, and apply the file',
    });
  }
  if (kind.platform !== undefined && platform !== kind.platform) {
    throw new SourceError(
      `credential ${authRef} is of ${platform}, and ${kind.name} needs one of ${kind.platform}`,
    );
  }
  const read = await secrets.ofCredential({ authRef, secretRef });
  if (read.ok) return read.secret;
  throw new SourceError(`credential ${authRef} cannot be read: ${read.reason}`);
}
