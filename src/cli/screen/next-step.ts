// What a delivery waits for, in a few words for a list. outrider explain has whole sentences, which the database makes.

import type { NextStep } from '../../db/delivery-rows.ts';
import { oneLine } from './shown-text.ts';
import { relative, span } from './times.ts';

/** Empty when the delivery only waits for its own time. */
export function stepInBrief(step: NextStep, now: Date): string {
  const opens = step.at === null ? '' : `, opens ${relative(step.at, now)}`;
  const more = step.at === null ? '' : ` ${span(step.at.getTime() - now.getTime())} more`;
  const why = whyOf(step);
  const words: Readonly<Partial<Record<NextStep['because'], string>>> = {
    workspace_paused: 'workspace paused',
    workspace_disabled: 'workspace disabled',
    channel_paused: `channel paused${opens}${why}`,
    channel_cooling_down: `${why === '' ? 'channel' : 'group'} cools down${more}${why}`,
    channel_resting: `group rests${more}${why}`,
    channel_probing: `group is probed${why}`,
    channel_credential_refused: why.replace(/^: /, ''),
    channel_closed: `outside the posting window${opens}`,
    channel_disabled: `channel disabled${why}`,
  };
  return words[step.because] ?? '';
}

function whyOf({ reason }: NextStep): string {
  return reason === undefined ? '' : `: ${oneLine(reason)}`;
}
