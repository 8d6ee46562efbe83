// Readers find out more about a post than its source says: they add tags, by which it is routed, and fields, which
// templates show. A source names its reader by the key `reader`.

import type { NewPost } from '../ingest/enqueue-post.ts';
import { lostPets } from '../lost-pets/lost-pets.ts';

/** Pure: the same post is always read alike. */
export type PostReader = (post: NewPost) => NewPost;

export const readers: Readonly<Record<string, PostReader>> = { lost_pets: lostPets };
