// What there is to send, and what there is to send it with.

/** Channels of one platform in a workspace; a rate of null is no limit. */
export interface PlatformChannels {
  readonly platform: string;
  readonly channels: number;
  /** Rate groups, one for each credential; the channels are spread over them evenly. */
  readonly groups: number;
  readonly channelRps: number | null;
}

export interface Workload {
  readonly platforms: readonly PlatformChannels[];
  /** How many workspaces of this kind there are. */
  readonly workspaces: number;
  /** Of each workspace. */
  readonly postsPerDay: number;
  /** The part of its channels that a post goes to, above 0 and up to 1. */
  readonly share: number;
  /** How many times the average comes in at peak. */
  readonly peak: number;
  /** The part of the posts that has media, 0 to 1. */
  readonly mediaShare: number;
  /** How many media such a post has. */
  readonly album: number;
  readonly historyDays: number;
  readonly diskBytes: number;
  /** Each takes posts in and sends. */
  readonly processes: number;
  /** The most sends at once of a process. */
  readonly concurrency: number;
  /** How long a platform takes to answer a call. */
  readonly answerMs: number;
  /** Of each workspace. */
  readonly endpoints: number;
  readonly ingressRps: number;
  /** Of the server. */
  readonly cores: number;
  readonly maxConnections: number;
}
