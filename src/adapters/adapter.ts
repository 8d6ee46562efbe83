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
  /** The message that came before this one in the chat, where it is known: what may have arrived stands behind it. */
  readonly after?: string | undefined;
}

export interface SendChannel {
  readonly channelId: string;
  readonly targetId: string;
  readonly authRef: string;
  readonly settings: Readonly<Record<string, unknown>>;
}

/** The internal formats; each platform has its own dialect of them. */
export type Format = 'HTML' | 'Markdown' | 'None';

/** Opens an address, or tells the bot that it was pressed. */
export type Button =
  | { readonly text: string; readonly url: string }
  | { readonly text: string; readonly payload: string };

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
  | {
      readonly ok: true;
      /** In words, such as `bot @news (4200)`. */
      readonly account: string;
      /** What stands in the way of posts with it, whichever chat they go to; missing: nothing is known. */
      readonly faults?: readonly PostingFault[] | undefined;
      /** How many calls a second the platform takes with tokens of this kind, where that is not the usual limit. */
      readonly groupRps?: number | undefined;
    }
  | { readonly ok: false; readonly error: SendError };

/** A channel that is to be looked at. */
export interface InspectedChannel {
  readonly channel: SendChannel;
  readonly token: string;
}

export interface InspectOptions {
  readonly signal: AbortSignal;
  /** Asked before every call, as in a send. */
  readonly beforeCall: BeforeCall;
}

/** Something that stands in the way of posts. */
export interface PostingFault {
  /** Whether every post is refused; otherwise only some are, such as those with media. */
  readonly blocks: boolean;
  readonly message: string;
  /** What to do about it, as a sentence without its full stop. */
  readonly remedy: string;
}

/** What the platform says about the chat or wall of a channel. */
export type ChatInspection =
  | {
      readonly ok: true;
      /** The platform's own id of the chat, whatever name the channel has for it. */
      readonly chatId: string;
      readonly title: string | undefined;
      readonly faults: readonly PostingFault[];
      /** How many messages a second this kind of chat takes, where it takes fewer than others of the platform. */
      readonly channelRps?: number | undefined;
    }
  | { readonly ok: false; readonly error: SendError };

/** A button that somebody has pressed; the platform waits for an answer. */
export interface PressedButton {
  readonly token: string;
  /** The platform's name for it. */
  readonly callbackId: string;
}

/** Where the platform brings what people write to the bot. */
export interface Webhook {
  readonly url: string;
  /** What the platform says about it: its last fault, what waits. */
  readonly notes: readonly string[];
}

export type Webhooks =
  | { readonly ok: true; readonly webhooks: readonly Webhook[] }
  | { readonly ok: false; readonly error: SendError };

/** The calls that manage the webhook of a bot. */
export interface WebhookCalls {
  /** The form that the platform wants a secret to have. */
  readonly secretForm: RegExp;
  /** Replaces what the platform knew about this address. The platform sends the secret with every update. */
  subscribe(
    token: string,
    webhook: { readonly url: string; readonly secret: string },
    signal: AbortSignal,
  ): Promise<ChangeOutcome>;
  unsubscribe(token: string, url: string, signal: AbortSignal): Promise<ChangeOutcome>;
  list(token: string, signal: AbortSignal): Promise<Webhooks>;
}

export interface Adapter {
  readonly platform: string;
  send(request: SendRequest, options: SendOptions): Promise<SendOutcome>;
  edit(post: SentPost, edit: Edit, signal: AbortSignal): Promise<ChangeOutcome>;
  remove(post: SentPost, signal: AbortSignal): Promise<ChangeOutcome>;
  /**
   * Asks the platform whose token it is. Posts nothing, and does not ask what the account may do in which chat.
   * `beforeCall`, where it is given, is asked before every call.
   */
  check(token: string, signal: AbortSignal, beforeCall?: BeforeCall): Promise<CredentialCheck>;
  /** Looks whether the chat of a channel is there and takes posts. Writes nothing. Missing where nobody can look. */
  inspect?(asked: InspectedChannel, options: InspectOptions): Promise<ChatInspection>;
  /** Tells the platform that a pressed button was noticed, which ends the sign of waiting. Missing where buttons tell nobody. */
  answerCallback?(pressed: PressedButton, signal: AbortSignal): Promise<ChangeOutcome>;
  /** Missing where no bot can hear what people write. */
  readonly webhooks?: WebhookCalls | undefined;
}
