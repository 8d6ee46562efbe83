// What the puller needs from a source of posts, whatever its kind: the next chunk after a cursor.

import type { z } from 'zod';
import type { Transport } from '../http/transport.ts';
import type { NewPost } from '../ingest/enqueue-post.ts';
import type { Secrets } from '../secrets.ts';
import type { SourceError } from './source-error.ts';

/** One thing that a source has. */
export interface SourceItem {
  /** The source's own name for it, the same at every look, of at most 512 bytes. It becomes the post's `source_ref`. */
  readonly itemRef: string;
  /** By what else it may have been called at another look, where its name depends on the items beside it. */
  readonly otherRefs?: readonly string[] | undefined;
  /** The post as an endpoint would take it, with media by their URLs. */
  readonly post: NewPost;
}

export type Cursor = Readonly<Record<string, unknown>>;

export interface Chunk {
  /** Oldest first. Items that were taken before may be among them: the database takes each once. */
  readonly items: readonly SourceItem[];
  /** Where the next look goes on once these items are taken in. */
  readonly cursor: Cursor;
  /** Whether there is more to read at once. */
  readonly hasMore: boolean;
  /** What was passed over and will not be read, in words. */
  readonly lost?: string | undefined;
  /** What could not be read, such as one wall of several. A later look of the same pull throws it. */
  readonly fault?: SourceError | undefined;
}

export interface Look {
  /** What the source answered as `cursor` last; empty at the first look. */
  readonly cursor: Cursor;
  /** The most items of a chunk. */
  readonly limit: number;
  readonly signal: AbortSignal;
  /** Takes a slot of the rate group that the source's credential shares with senders, and waits for it. */
  readonly beforeCall: () => Promise<void>;
  /** The pull that the look belongs to; undefined when it belongs to none. */
  readonly pull?: string | undefined;
  /** How much of the time that a look may take is over: from 0 to 1, and then it is broken off. Without it there is no end. */
  readonly elapsed?: (() => number) | undefined;
}

export interface Source {
  /** Changes nothing at the source. Throws SourceError when the source cannot be read now. */
  look(look: Look): Promise<Chunk>;
  close(): Promise<void>;
}

/** What a source may use. */
export interface SourceMeans {
  readonly secrets: Secrets;
  /** Hosts that may be asked although their addresses are private. */
  readonly privateHosts: readonly string[];
  /** The token of the credential that the source names, if its kind takes one. */
  readonly token: () => Promise<string>;
  /** Where the API of a platform is. */
  readonly apiUrls: Readonly<Record<string, string | undefined>>;
  /** Calls to the platforms, with the authorities that the configuration trusts. A source without it makes its own. */
  readonly transport?: Transport | undefined;
}

export interface SourceKind<Schema extends z.ZodType = z.ZodType> {
  readonly name: string;
  /** The keys of a source's configuration that are of this kind alone. */
  readonly keys: Schema;
  /** The platform whose credential every source of this kind needs (`auth_ref`), if it needs one. */
  readonly platform?: string | undefined;
  open(config: z.output<Schema>, means: SourceMeans): Source;
}
