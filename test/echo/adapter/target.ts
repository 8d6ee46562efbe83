// The room that a channel names, and how posts go there.

import { z } from 'zod';
import type { SendChannel, SendError } from '../../../src/adapters/adapter.ts';
import { refusedSettings } from '../../../src/adapters/settings.ts';

export interface Target {
  readonly room: string;
  readonly isLoud: boolean;
}

export const onUnknown = ['retry'] as const;

/** What a channel may say besides. */
export const settings = { loud: z.boolean().describe('Echo: in capitals.') };

const Settings = z.object({
  loud: settings.loud.default(false),
  on_unknown: z.enum(onUnknown).default('retry'),
});

export function readTarget({ targetId, settings: given }: SendChannel): Target | SendError {
  const read = Settings.safeParse(given);
  if (!read.success) return refusedSettings('Echo', read.error);
  return { room: targetId, isLoud: read.data.loud };
}
