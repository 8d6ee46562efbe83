// Settings of a channel that every platform reads, and the error for those that a platform does not take.

import { z } from 'zod';
import type { SendChannel, SendError } from './adapter.ts';
import { sendError } from './answer.ts';

/** How long one call may take, in seconds. Uploads have a time of their own. */
export const timeout = z
  .number('must be a span such as 10s or 1m30s, from 1s to 2m')
  .min(1)
  .max(120);

/** The time that the channel gives to a call; undefined: that of the adapter. The database refuses any other value. */
export function callTimeoutMs({ settings }: Pick<SendChannel, 'settings'>): number | undefined {
  const read = timeout.safeParse(settings['timeout']);
  return read.success ? read.data * 1000 : undefined;
}

export function refusedSettings(title: string, error: z.ZodError): SendError {
  const names = error.issues.map((issue) => issue.path.join('.')).join(', ');
  return sendError('settings', `the channel has settings that ${title} cannot take: ${names}`);
}
