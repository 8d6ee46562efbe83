// What the platforms allow. The catalogue of the database (outrider.platforms) has the paces as well, and a test keeps
// the two the same: a calculation needs no database.

export const platforms = ['telegram', 'max', 'vk'] as const;

export type Platform = (typeof platforms)[number];

export interface Pace {
  /** Messages a second in one chat or on one wall. */
  readonly channelRps: number;
  /** Calls a second with one credential. */
  readonly groupRps: number;
  /** An album counts as so many messages as it has media. */
  readonly countsAlbumItems: boolean;
  /** Counted calls for each file that is uploaded: once for a credential, whichever channels show it. */
  readonly uploadCalls: number;
  /** Posts a day in one chat or on one wall. */
  readonly postsPerDay: number | null;
}

export const paces: Readonly<Record<Platform, Pace>> = {
  telegram: {
    channelRps: 0.6,
    groupRps: 17.5,
    countsAlbumItems: true,
    uploadCalls: 0,
    postsPerDay: null,
  },
  max: {
    channelRps: 1.6,
    groupRps: 25,
    countsAlbumItems: false,
    uploadCalls: 1,
    postsPerDay: null,
  },
  // VK's refusal names 50 posts a day; 500 have been reported. What is certain counts.
  vk: { channelRps: 1, groupRps: 2.5, countsAlbumItems: false, uploadCalls: 2, postsPerDay: 50 },
};
