// The port that every platform fulfils. Outcomes are values: an adapter never throws for what a provider
// or a network does.

import type { AcknowledgedPart } from '../db/claim.ts';
import type { SendError } from '../db/commit.ts';
import type { OnAnswer } from '../http/transport.ts';

export type { AcknowledgedPart } from '../db/claim.ts';
export type { SendError } from '../db/commit.ts';

/** What a send of one delivery needs; a claimed delivery has it all, once its secret and media are resolved. */
export interface SendRequest {
  /** The idempotency key, where the platform has one. */
  readonly deliveryId: string;
  readonly traceId: string;
  readonly channel: SendChannel;
  /** Never in an error, a log or an event. */
  readonly token: string;
  readonly text: string;
  readonly format: Format;
  readonly disablePreview: boolean;
  readonly buttons: readonly (readonly Button[])[];
  readonly media: readonly SendMedia[];
  readonly parts: readonly Part[];
  /** The parts that the provider has acknowledged already, by number. */
  readonly partsDone: ReadonlyMap<number, string>;
  /** An earlier attempt may have arrived: look before sending, where the platform lets one look. */
  readonly outcomeUnknown: boolean;
}

export interface SendChannel {
  readonly channelId: string;
  readonly targetId: string;
  readonly authRef: string;
  readonly settings: Readonly<Record<string, unknown>>;
}

/** The internal formats; each platform has its own dialect of them. */
export type Format = 'HTML' | 'Markdown' | 'None';

export interface Button {
  readonly text: string;
  readonly url: string;
}

export type MediaType = 'image' | 'video' | 'audio' | 'file' | 'animation';

/** A medium as the platform is to get it: a link, or bytes that are uploaded once and then referred to. */
export interface SendMedia {
  readonly type: MediaType;
  readonly caption?: string | undefined;
  readonly source: { readonly url: string } | { readonly blob: Blob };
}

/** A blob of the origin store, and the provider's name for it under this credential. */
export interface Blob {
  readonly blobRef: string;
  readonly filename: string;
  readonly contentType: string;
  readonly sizeBytes?: number | undefined;
  /** The provider's name for an earlier upload, while that name is still valid. */
  readonly fileId?: string | undefined;
  /** Opens the bytes; every upload does so once more. Undefined when they are gone; fails while they cannot be read. */
  open(): Promise<AsyncIterable<Uint8Array> | undefined>;
  /** Keeps the provider's name for the upload, for the next send. */
  keep(fileId: string, expiresAt?: Date): Promise<void>;
  /** The provider no longer knows the name that was kept. */
  forget(): Promise<void>;
}

/** One call of the plan. A `text` part shows the delivery's text; `media` are indexes of the request's media. */
export type Part =
  | { readonly kind: 'text'; readonly buttons: boolean }
  | {
      readonly kind: 'media';
      readonly media: readonly number[];
      readonly caption: boolean;
      readonly buttons: boolean;
    };

export type SendOutcome =
  | {
      readonly ok: true;
      /** The id of the first part. */
      readonly providerMessageId: string;
      readonly partsDone: readonly AcknowledgedPart[];
    }
  | {
      readonly ok: false;
      readonly error: SendError;
      readonly partsDone: readonly AcknowledgedPart[];
    };

/** A call as the platform counts it. */
export interface CountedCall {
  /** How many messages it shows in the chat; a call that shows none still counts as one. */
  readonly messages: number;
}

/** Resolves when the call may be made, or with the reason why it must not be made. */
export type BeforeCall = (call: CountedCall) => Promise<string | undefined>;

export interface SendOptions {
  /** Stops the send; a call that was under way has an unknown outcome. */
  readonly signal: AbortSignal;
  /** Adapters ask it before every call that the platform counts, repeated calls included. */
  readonly beforeCall: BeforeCall;
  /** Whether the delivery is still ours to send. Asked before each call; if it says no, the call is not made. */
  readonly holds: () => boolean;
  /** Told of every answer of the platform as it came, with the token masked. */
  readonly onAnswer?: OnAnswer | undefined;
  /** Records an acknowledged part before the next one is sent; the outcome records the last part. */
  onPart(part: AcknowledgedPart): Promise<void>;
  /** The provider says that the chat has moved for good. */
  onMoved(targetId: string): Promise<void>;
}

/** A post that was sent and is to be changed or taken back. The ids are those of its parts. */
export interface SentPost {
  readonly channel: SendChannel;
  readonly token: string;
  readonly providerMessageIds: readonly string[];
}

export interface Edit {
  readonly text: string;
  readonly format: Format;
  readonly disablePreview: boolean;
  readonly buttons: readonly (readonly Button[])[];
  /** The post has media, and its text is their caption. */
  readonly isCaption: boolean;
}

export type ChangeOutcome =
  | { readonly ok: true }
  | { readonly ok: false; readonly error: SendError };

/** Whose token it is, according to the platform. */
export type CredentialCheck =
  /** In words, such as `bot @news (4200)`. */
  | { readonly ok: true; readonly account: string }
  | { readonly ok: false; readonly error: SendError };

export interface Adapter {
  readonly platform: string;
  send(request: SendRequest, options: SendOptions): Promise<SendOutcome>;
  edit(post: SentPost, edit: Edit, signal: AbortSignal): Promise<ChangeOutcome>;
  remove(post: SentPost, signal: AbortSignal): Promise<ChangeOutcome>;
  /** Asks the platform whose token it is. Posts nothing, and does not ask what the account may do in which chat. */
  check(token: string, signal: AbortSignal): Promise<CredentialCheck>;
}
