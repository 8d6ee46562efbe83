// Fetches what a source answers over HTTP: with its secret, within a size and a time, and never twice when it says that
// nothing has changed. What goes wrong becomes a SourceError in words.

import { createGuardedFetch, type NotFetched } from '../http/guarded-fetch.ts';
import type { HttpAuth } from './http-auth.ts';
import type { SourceMeans } from './source.ts';
import { SourceError } from './source-error.ts';

export interface SourceFetchOptions {
  readonly means: Pick<SourceMeans, 'secrets' | 'privateHosts'>;
  readonly auth: HttpAuth | undefined;
  readonly maxBytes: number;
  readonly timeoutMs: number;
}

export interface SourceRequest {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** What the server said about the file that we have. */
  readonly version?: FileVersion | undefined;
  readonly signal: AbortSignal;
}

/** How a server names what it gave. */
export interface FileVersion {
  readonly etag?: string | undefined;
  readonly lastModified?: string | undefined;
}

export type SourceFile = { readonly isNew: false } | NewFile;

export interface NewFile {
  readonly isNew: true;
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** After redirects. */
  readonly url: string;
  readonly host: string;
  readonly contentType: string | undefined;
  /** The header `link`. */
  readonly link: string | undefined;
  readonly version: FileVersion;
}

export interface SourceFetch {
  get(request: SourceRequest): Promise<SourceFile>;
  close(): Promise<void>;
}

export function createSourceFetch(options: SourceFetchOptions): SourceFetch {
  const { means, auth, maxBytes, timeoutMs } = options;
  const guarded = createGuardedFetch({
    maxBytes,
    timeoutMs,
    // A server may think for as long as the source lets it.
    silenceMs: timeoutMs,
    privateHosts: means.privateHosts,
  });
  return {
    async get({ url, headers, version, signal }) {
      const secret = auth === undefined ? {} : await secretPartsOf(auth, means);
      const fetched = await guarded.fetch(
        url,
        signal,
        async (file): Promise<SourceFile> => {
          if (file.status === 304) return { isNew: false };
          const pieces: Uint8Array[] = [];
          for await (const piece of file.bytes) pieces.push(piece);
          const { etag, 'last-modified': lastModified } = file.headers;
          return {
            isNew: true,
            bytes: new Uint8Array(Buffer.concat(pieces)),
            url: file.url,
            host: file.host,
            contentType: file.headers['content-type'],
            link: [file.headers['link'] ?? []].flat().join(', ') || undefined,
            version: { etag: versionName(etag), lastModified: versionName(lastModified) },
          };
        },
        {
          headers: { ...headers, ...conditionsOf(version) },
          ...secret,
          unpacks: true,
          takesNotModified: version !== undefined,
        },
      );
      if (fetched.ok) return fetched.taken;
      throw errorOf(fetched, auth);
    },
    close: () => guarded.close(),
  };
}

/** What a server may call a version; a longer name is not kept, and the file is fetched anew. */
function versionName(header: string | undefined): string | undefined {
  return header !== undefined && /^[\x20-\x7e]{1,1000}$/.test(header) ? header : undefined;
}

function conditionsOf({ etag, lastModified }: FileVersion = {}): Record<string, string> {
  return {
    ...(etag === undefined ? {} : { 'if-none-match': etag }),
    ...(lastModified === undefined ? {} : { 'if-modified-since': lastModified }),
  };
}

interface SecretParts {
  readonly secretHeaders?: Readonly<Record<string, string>>;
  readonly secretParameters?: Readonly<Record<string, string>>;
}

async function secretPartsOf(
  auth: HttpAuth,
  { secrets }: Pick<SourceMeans, 'secrets'>,
): Promise<SecretParts> {
  const ref = 'bearer_ref' in auth ? auth.bearer_ref : auth.ref;
  const read = await secrets.ofReference(ref, 'the reference in auth of the source');
  if (!read.ok) {
    throw new SourceError(`the source’s secret cannot be read: ${read.reason}`, {
      hint: 'auth names it, as env:NAME or file:PATH',
    });
  }
  const { secret } = read;
  if ('query' in auth) return { secretParameters: { [auth.query]: secret } };
  // Other characters cannot stand in a header, and the error of the client would quote them.
  if (!/^[\x20-\x7e]*$/.test(secret)) {
    throw new SourceError('the source’s secret holds characters that a header cannot have');
  }
  if ('bearer_ref' in auth) return { secretHeaders: { authorization: `Bearer ${secret}` } };
  return { secretHeaders: { [auth.header.toLowerCase()]: secret } };
}

const hints: Partial<Record<NotFetched['code'], string>> = {
  address_refused:
    'if the source may be there, list its host (or host:port) in OUTRIDER_MEDIA_PRIVATE_HOSTS',
  redirect_refused: 'give the address that it redirects to, if that is the right one',
  not_found: 'correct the source’s url',
  too_large:
    'max_bytes of the source says how much is read; a source with fewer items answers with less',
  timeout: 'timeout_seconds of the source says how long is waited',
};

function errorOf(
  { code, reason, retryAfterMs, status }: NotFetched,
  auth: HttpAuth | undefined,
): SourceError {
  if (code === 'aborted') return new SourceError('the look was stopped');
  const forbidden =
    auth === undefined
      ? 'if it needs a secret, auth of the source names it'
      : 'check the secret that auth names';
  const hint = code === 'forbidden' ? forbidden : hints[code];
  return new SourceError(reason, {
    ...(hint === undefined ? {} : { hint }),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    ...(status === undefined ? {} : { status }),
  });
}
