// What a delivery waits for, in the same words wherever it is shown.

import type { NextStep } from '../db/delivery-rows.ts';
import { oneLine } from './shown-text.ts';
import { inFull, relative, span } from './times.ts';

/** What comes next for a delivery of a channel. */
export function stepInWords(step: NextStep, channelId: string, now: Date): string {
  const at = step.at === null ? 'somebody changes that' : inFull(step.at, now);
  const why = whyOf(step);
  // A cooldown without a reason is the channel's own: only its end is known.
  const asked = why === '' ? `channel ${channelId}` : `the rate group of channel ${channelId}`;
  const words: Readonly<Record<NextStep['because'], string>> = {
    being_sent: `is being sent; its sender holds it until ${at}`,
    workspace_paused: 'waits: the workspace is paused',
    workspace_disabled: 'waits: the workspace is disabled',
    channel_paused: `waits: channel ${channelId} is paused until ${at}${why}`,
    channel_cooling_down: `waits: the provider asked ${asked} to wait until ${at}${why}`,
    channel_resting: `waits: the rate group of channel ${channelId} rests until ${at}${why}`,
    channel_probing: `waits: the rate group of channel ${channelId} is probed with one post at a time${why}`,
    channel_credential_refused: `waits${why}`,
    channel_closed: `waits: the posting window of channel ${channelId} is closed until ${at}`,
    channel_disabled: `waits: channel ${channelId} is disabled${why}`,
    scheduled: `will be sent at ${at}`,
    retry: `will be tried again at ${at}`,
    slot: `will be sent at ${at}, in its slot`,
    in_line: lineInWords(step.ahead),
  };
  return words[step.because];
}

/** The same in a few words, for a list; empty when the delivery only waits for its own time. */
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

function lineInWords(ahead: number | undefined): string {
  if (ahead === undefined) return 'will be sent as soon as possible';
  if (ahead === 0) return 'is due and first in its line: a running dispatcher sends it next';
  return `is due; ${ahead} of its channel ${ahead === 1 ? 'goes' : 'go'} first`;
}
