// What the conformance suite has to know about a platform. A platform has one file, `<platform>-harness.ts`, and
// `<platform>.test.ts` runs `describeAdapter(harness)` on it.

import type { CreateSimulator, SandboxRequest, Simulator } from '../../sandbox/simulator.ts';
import type { Adapter, Format } from '../../src/adapters/adapter.ts';
import type { Transport } from '../../src/http/transport.ts';

export interface Harness {
  /** Of the platform, for the titles of the tests. */
  readonly title: string;
  readonly createSimulator: CreateSimulator;
  createAdapter(options: AdapterOptions): Adapter;
  /** In the form of the platform's tokens, long, and with a character that URLs encode where tokens have one. */
  readonly token: string;
  /** Whom the token belongs to, as a check says it. */
  readonly account: string;
  /** In the same form, and not known to the simulator. */
  readonly wrongToken: string;
  /** Adds the token and a chat that takes posts, and lifts the limits of pace: the clock stands still. */
  populate(simulator: Simulator): Place;
  /** The names by which the simulator describes the calls of the adapter. */
  readonly methods: Methods;
  readonly abilities: Abilities;
  /** Bodies with status 200 that resemble the answer to a sent text and are none: wrong types, huge numbers. */
  readonly falseAnswers: readonly string[];
}

export interface AdapterOptions {
  readonly baseUrl: string;
  readonly transport: Transport;
  /** For one call. */
  readonly timeoutMs: number;
  /** The time of the sandbox. */
  now(): Date;
}

export interface Place {
  /** As the chat is named in the channel, and in what the simulator shows. */
  readonly targetId: string;
  /** A chat that is not there. */
  readonly unknownTargetId: string;
  readonly settings?: Readonly<Record<string, unknown>>;
}

export interface Methods {
  readonly sendText: string;
  /** One picture. */
  readonly sendMedium: string;
  /** Several pictures. */
  readonly sendAlbum: string;
  /** Where bytes go before the send; missing when they go with it. */
  readonly upload?: string;
  readonly editText: string;
  readonly remove: string;
}

export interface Abilities {
  /** A sample for each format that the platform has. */
  readonly formats: readonly FormatSample[];
  readonly buttons: boolean;
  /** Pictures by their address, without an upload. */
  readonly mediaByLink: boolean;
  /** Whether a call that sends text asks for no link preview; missing when the platform has no such switch. */
  readonly asksForNoPreview?: (call: SandboxRequest) => boolean;
  /** An album counts as so many messages as it has items, and not as one call. */
  readonly countsAlbumItems: boolean;
  /** What the chat shows of a post that arrived unanswered and was then sent again. */
  readonly afterUnknown: 'once' | 'twice';
  /** `told`: a refusal for pace says how long to wait; `untoldMs`: the wait that is kept when it does not. */
  readonly waits: { readonly told: boolean; readonly untoldMs: number | undefined };
  /** In the form of what `keep` is given, and not known to the provider. */
  readonly unknownFileId: string;
}

export interface FormatSample {
  readonly format: Format;
  readonly text: string;
  /** What a reader sees. */
  readonly read: string;
  /** What the simulator shows as HTML. */
  readonly html: string;
}
