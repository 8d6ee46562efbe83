// The kinds of pull sources. Nothing else in the program lists them; the database knows their names
// (pull_source_kind_is_known).

import { api } from './kinds/api.ts';
import { db } from './kinds/db.ts';
import { rss } from './kinds/rss.ts';
import { vkWall } from './kinds/vk-wall.ts';
import type { SourceKind } from './source.ts';

export const kinds: readonly SourceKind[] = [rss, api, db, vkWall];
