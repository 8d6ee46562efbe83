// The port that every platform fulfils. Outcomes are values: an adapter never throws for what a provider
// or a network does.

import type { AcknowledgedPart } from '../db/claim.ts';
import type { SendError } from '../db/commit.ts';

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

/** A blob of the origin store, and what this credential's provider knows it by. */
export interface Blob {
  readonly blobRef: string;
  readonly filename: string;
  readonly contentType: string;
  readonly sizeBytes?: number | undefined;
  /** The provider's name of an earlier upload that is still good. */
  readonly fileId?: string | undefined;
  /** Opens the bytes anew, for every upload once more. Undefined: they are gone; fails while they cannot be had. */
  open(): Promise<AsyncIterable<Uint8Array> | undefined>;
  /** Keeps the provider's name of the upload for the next send. */
  keep(fileId: string, expiresAt?: Date): Promise<void>;
  /** The provider no longer knows the name that was kept. */
  forget(): Promise<void>;
}

/** One call of the plan. `text` is the delivery's text; media are numbers of the request's media. */
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
      /** Of the first part. */
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
  /** How many messages it shows in the chat; a call that shows none counts as one all the same. */
  readonly messages: number;
}

/** Comes when the call may be made, or with the reason why it must not be. */
export type BeforeCall = (call: CountedCall) => Promise<string | undefined>;

export interface SendOptions {
  /** Ends the send; what was under way has an unknown outcome. */
  readonly signal: AbortSignal;
  /** To be asked before every call that the platform counts, a repeated one included. */
  readonly beforeCall: BeforeCall;
  /** Whether the delivery is still ours to send: asked before each call, which is not made if it is not. */
  readonly holds: () => boolean;
  /** Records an acknowledged part before the next one is sent; the outcome records the last part. */
  onPart(part: AcknowledgedPart): Promise<void>;
  /** The provider says that the chat has moved for good. */
  onMoved(targetId: string): Promise<void>;
}

/** Changes or takes back what was sent; the ids are those of the parts. */
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

/** Whom the platform takes a token for. */
export type CredentialCheck =
  /** In words, such as `bot @news (4200)`. */
  | { readonly ok: true; readonly account: string }
  | { readonly ok: false; readonly error: SendError };

export interface Adapter {
  readonly platform: string;
  send(request: SendRequest, options: SendOptions): Promise<SendOutcome>;
  edit(post: SentPost, edit: Edit, signal: AbortSignal): Promise<ChangeOutcome>;
  remove(post: SentPost, signal: AbortSignal): Promise<ChangeOutcome>;
  /** Asks the platform who the token is. Nothing is posted; what the account may do where is not asked. */
  check(token: string, signal: AbortSignal): Promise<CredentialCheck>;
}
