/** Why a feed cannot be read, in words that follow the name of its host. Never leaves src/pull. */
export class FeedFault extends Error {
  constructor(words: string) {
    super(words);
    this.name = 'FeedFault';
  }
}

export const noFeed = 'answers with something that is no feed';
