// What a delivery waits for, in words: the same wherever it is told.

import type { Cause, NextStep } from '../db/inspect-rows.ts';
import { oneLine } from './shown-text.ts';
import { inFull, relative, span } from './times.ts';

/** Why a channel or a rate group does not send; empty when nobody said. */
export function causeInWords(cause: Cause | null | undefined): string {
  if (cause === null || cause === undefined) return '';
  const { operator, reason, code, message } = cause;
  const words = operator === undefined ? [code, message] : [`by ${operator}`, reason];
  return oneLine(words.filter((each) => each !== undefined && each !== '').join(': '));
}

/** What comes next for a delivery of a channel. */
export function stepInWords(step: NextStep, channelId: string, now: Date): string {
  const at = step.at === null ? 'somebody changes that' : inFull(step.at, now);
  const cause = causeInWords(step.cause);
  const why = cause === '' ? '' : `: ${cause}`;
  const group = step.cause?.rate_group;
  const asked = group === undefined ? `channel ${channelId}` : `its rate group ${group}`;
  const words: Readonly<Record<NextStep['because'], string>> = {
    being_sent: `is being sent; its sender holds it until ${at}`,
    workspace_paused: 'waits: the workspace is paused',
    workspace_disabled: 'waits: the workspace is disabled',
    channel_paused: `waits: channel ${channelId} is paused until ${at}${why}`,
    channel_cooling_down: `waits: the provider asked ${asked} to wait until ${at}${why}`,
    channel_closed: `waits: the posting window of channel ${channelId} is closed until ${at}`,
    channel_disabled: `waits: channel ${channelId} is disabled${why}`,
    scheduled: `will be sent at ${at}`,
    retry: `will be tried again at ${at}`,
    slot: `will be sent at ${at}, in its slot`,
    in_line: lineInWords(step.ahead),
  };
  return words[step.because];
}

/** The same in a few words, for a list; empty when its own time is all that it waits for. */
export function stepInBrief(step: NextStep, now: Date): string {
  const cause = causeInWords(step.cause);
  const why = cause === '' ? '' : `: ${cause}`;
  const opens = step.at === null ? '' : `, opens ${relative(step.at, now)}`;
  const more = step.at === null ? '' : ` ${span(step.at.getTime() - now.getTime())} more`;
  const who = step.cause?.rate_group === undefined ? 'channel' : `group ${step.cause.rate_group}`;
  const words: Readonly<Partial<Record<NextStep['because'], string>>> = {
    workspace_paused: 'workspace paused',
    workspace_disabled: 'workspace disabled',
    channel_paused: `channel paused${opens}${why}`,
    channel_cooling_down: `${who} cools down${more}${why}`,
    channel_closed: `outside the posting window${opens}`,
    channel_disabled: `channel disabled${why}`,
  };
  return words[step.because] ?? '';
}

function lineInWords(ahead: number | undefined): string {
  if (ahead === undefined) return 'will be sent as soon as possible';
  if (ahead === 0) return 'is due and first in its line: a running dispatcher sends it next';
  return `is due; ${ahead} of its channel ${ahead === 1 ? 'goes' : 'go'} first`;
}
