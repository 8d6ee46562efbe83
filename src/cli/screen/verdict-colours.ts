// The colours in which the verdicts on channels are shown.

import type { ChannelVerdict } from '../../db/intake.ts';
import type { Colour } from './table.ts';

export const verdictColours: Readonly<Record<ChannelVerdict['verdict'], Colour>> = {
  queued: 'green',
  deduped: 'gray',
  validation_failed: 'red',
  not_routed: 'gray',
};
