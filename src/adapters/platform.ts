// What Outrider must know about a platform besides its rows in the database. Each platform says it in the `index.ts`
// of its folder, and platforms.ts lists the platforms.

import type { z } from 'zod';
import type { Transport } from '../http/transport.ts';
import type { Adapter } from './adapter.ts';

export interface Platform {
  /** As in outrider.platforms. */
  readonly name: string;
  /** For people. */
  readonly title: string;
  /** Loads the adapter when it is called: a command that sends nothing does not wait for it. */
  readonly create: (options: AdapterOptions) => Promise<Adapter>;
  /** The platform's own address of its API. */
  readonly apiUrl: string;
  /** The environment variable that names another address of the API. */
  readonly apiUrlVariable: string;
  /** The values that a channel's `on_unknown` may have: what to do when nobody knows whether a post arrived. */
  readonly onUnknown: readonly string[];
  /** The other settings of a channel that the adapter reads. */
  readonly settings: Readonly<Record<string, z.ZodType>>;
  readonly pace: Pace;
  /** What the platform itself allows, as far as it is known; the pace leaves room below it. */
  readonly limits?: Limits | undefined;
}

export interface AdapterOptions {
  readonly transport: Transport;
  /** Where the API is; the platform's own address when missing. */
  readonly baseUrl?: string | undefined;
}

export interface Limits {
  /** Messages a second in one chat or on one wall; null: not known. */
  readonly channelRps: number | null;
  /** Calls a second with one credential; null: not known. */
  readonly groupRps: number | null;
}

/** What the platform allows; a test keeps it the same as in the catalogue of the database (outrider.platforms). */
export interface Pace {
  /** Messages a second in one chat or on one wall. */
  readonly channelRps: number;
  /** Calls a second with one credential. */
  readonly groupRps: number;
  /** Whether each medium of an album counts as a message. */
  readonly countsAlbumItems: boolean;
  /** Counted calls for each upload. A file is uploaded once for each credential, whichever channels show it. */
  readonly uploadCalls: number;
  /** Posts a day in one chat or on one wall. */
  readonly postsPerDay: number | null;
}
