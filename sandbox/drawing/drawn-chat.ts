// What is drawn: a chat and its messages, whatever platform they are from.

export interface DrawnChat {
  /** As in outrider.platforms. A platform without a look of its own is drawn plainly. */
  readonly platform: string;
  readonly title: string;
  /** Oldest first, as they came. */
  readonly messages: readonly DrawnMessage[];
  /** The platform's name for the chat; `data-chat` in the page. */
  readonly id?: string | undefined;
  /** Without it, the usual kind of the platform. A wall shows its newest post first. */
  readonly kind?: ChatKind | undefined;
  /** Beneath the title. */
  readonly subtitle?: string | undefined;
  /** The level of its heading, for the page that it stands on; 2 when missing. */
  readonly headingLevel?: 2 | 3 | 4 | undefined;
  /** The id of the form that the buttons of the chat belong to; without it they cannot be pressed. */
  readonly pressForm?: string | undefined;
  /** Markup below the messages, such as a field to write in. It is not escaped: it must not hold what others wrote. */
  readonly footer?: string | undefined;
}

export type ChatKind = 'channel' | 'group' | 'dialog' | 'wall';

export interface DrawnMessage {
  readonly id: string;
  readonly author?: string | undefined;
  /** b, i, u, s, code, pre, a, blockquote and span.spoiler; anything else loses its tags. */
  readonly html: string;
  readonly attachments: readonly DrawnAttachment[];
  readonly buttons: readonly (readonly DrawnButton[])[];
  /** The id of the message that it answers. */
  readonly replyTo?: string | undefined;
  /** A moment of ISO 8601, or words. */
  readonly time?: string | undefined;
  readonly edited?: boolean | undefined;
  readonly pinned?: boolean | undefined;
  /** The reader of the chat wrote it. */
  readonly own?: boolean | undefined;
  /** A line of the app itself, such as a date. */
  readonly service?: boolean | undefined;
}

export interface DrawnAttachment {
  /** The platform's word: photo, image, video, document, file, audio, … */
  readonly kind: string;
  /** What it is called: the name of a file, or an address. */
  readonly label: string;
  readonly url?: string | undefined;
  /** In bytes. */
  readonly size?: number | undefined;
  /** What makes its picture: equal seeds give equal pictures. Its label when missing. */
  readonly seed?: string | undefined;
}

export interface DrawnButton {
  readonly text: string;
  /** `url` opens an address, `callback` tells the bot; others are only shown. */
  readonly kind: string;
  readonly url?: string | undefined;
}
