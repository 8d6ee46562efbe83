// Events in words.

import type { DeliveryError } from '../../db/inspect.ts';
import { oneLine } from './shown-text.ts';
import { inFull, span } from './times.ts';

interface Event {
  readonly error: DeliveryError | null;
  readonly meta: Readonly<Record<string, unknown>>;
}

/** What an event says beyond its name: what went wrong, and what its meta adds. */
export function eventInWords(event: Event, now: Date): string {
  const error = event.error === null ? '' : errorInWords(event.error);
  return [error, noteOf(event, now)].filter((each) => each !== '').join('; ');
}

/** What went wrong, whose fault it was, and what was asked for. */
export function errorInWords(error: DeliveryError): string {
  const { code, message, scope, retry_after_ms: wait } = error;
  const words = [code, message].filter((each) => each !== undefined && each !== '').join(': ');
  const whose = scope === undefined || scope === 'delivery' ? '' : `, for the whole ${scope}`;
  const asked = wait === undefined ? '' : `, asks to wait ${span(wait)}`;
  return `${oneLine(words)}${whose}${asked}`;
}

/** What an event's meta adds for a reader. */
export function noteOf({ meta }: Pick<Event, 'meta'>, now: Date): string {
  const time = (name: string): string => {
    const at = new Date(textOf(meta[name]));
    return Number.isNaN(at.getTime()) ? 'somebody ends it' : inFull(at, now);
  };
  const notes = [
    'next_retry_at' in meta ? `again at ${time('next_retry_at')}` : '',
    'paused_until' in meta ? `until ${time('paused_until')}` : '',
    'cooldown_until' in meta ? `until ${time('cooldown_until')}` : '',
    'provider_message_id' in meta ? `as ${textOf(meta['provider_message_id'])}` : '',
    'new_auth_ref' in meta
      ? `${textOf(meta['old_auth_ref'])} → ${textOf(meta['new_auth_ref'])}`
      : '',
    'source_id' in meta ? `source ${textOf(meta['source_id'])}` : '',
    'item_ref' in meta ? `item ${textOf(meta['item_ref'])}` : '',
    'failing_since' in meta ? `since ${time('failing_since')}` : '',
    'rate_group' in meta ? `rate group ${textOf(meta['rate_group'])}` : '',
    'operator' in meta ? `by ${textOf(meta['operator'])}` : '',
    'reason' in meta ? textOf(meta['reason']) : '',
    'payload_ref' in meta ? `raw answer: payload ${textOf(meta['payload_ref'])}` : '',
    'suppressed_by' in meta ? `the same as ${textOf(meta['suppressed_by'])}` : '',
  ];
  return oneLine(notes.filter((each) => each !== '').join(', '));
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
