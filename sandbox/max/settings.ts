// What a test or a user may change about the provider.

export interface Settings {
  /** Messages of one bot into one chat within a second. */
  messagesPerSecond: number;
  /** Calls of one bot within a second. */
  requestsPerSecond: number;
  /** How many sends after an upload are refused with `attachment.not.ready`. */
  notReadySends: number;
  /** Attachments of one message besides the keyboard. MAX documents no number: assumed. */
  attachmentsMax: number;
  /** How often every event arrives. */
  eventCopies: number;
  /** MAX takes webhooks on https and port 443 only; a sandbox also takes those of this machine. */
  localWebhooks: boolean;
}

export const defaultSettings: Settings = {
  messagesPerSecond: 2,
  requestsPerSecond: 30,
  notReadySends: 0,
  attachmentsMax: 10,
  eventCopies: 1,
  localWebhooks: true,
};
