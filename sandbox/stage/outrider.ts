// What the stage asks of the Outrider that posts into its chats. Whoever runs both connects them; a sandbox on its own
// has none.

export interface StagedOutrider {
  /** Where programs send posts; the page names it. */
  readonly ingestUrl: string;
  /** Its status page; undefined where nobody sees it from here. */
  readonly statusUrl: string | undefined;
  /** The endpoints that the stage may post to. Their secrets stay with who connects them. */
  readonly endpoints: readonly string[];
  /** Sends a post the way that any program does. */
  push(endpoint: string, post: Readonly<Record<string, unknown>>): Promise<Pushed>;
  /** The newest posts and how far they are, the newest first. */
  recent(): Promise<readonly RecentPost[]>;
  /** Lets everything go on that stopped because a platform said no. Answers with what it did, in words. */
  resume(): Promise<string>;
}

export interface Pushed {
  readonly isTaken: boolean;
  /** What was answered, in a sentence or two. */
  readonly words: string;
}

export interface RecentPost {
  readonly id: string;
  readonly text: string;
  readonly deliveries: readonly RecentDelivery[];
}

export interface RecentDelivery {
  readonly channel: string;
  readonly status: string;
  /** How it looks: it has arrived, is on its way, has to wait, or never comes. */
  readonly tone: 'sent' | 'going' | 'waiting' | 'failed';
  /** Why it waits or has failed. */
  readonly why: string;
}
