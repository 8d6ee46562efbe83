// The error for channel settings that the platform does not take.

import type { z } from 'zod';
import type { SendError } from './adapter.ts';
import { sendError } from './answer.ts';

export function refusedSettings(title: string, error: z.ZodError): SendError {
  const names = error.issues.map((issue) => issue.path.join('.')).join(', ');
  return sendError('settings', `the channel has settings that ${title} cannot take: ${names}`);
}
