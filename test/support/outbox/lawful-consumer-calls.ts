// Calls of the functions by which consumers record the events that they have processed.

import type { Arguments } from '../database/two-workspaces.ts';

/** A lawful call of each of these functions. */
export function lawfulProcessingCalls(p_now: string): Readonly<Record<string, Arguments>> {
  const event = { p_consumer: 'mailer', p_event_id: '0000000e-0000-4000-8000-000000000001' };
  const lease = { ...event, p_owner: '0000000e-0000-4000-8000-000000000002' };
  return {
    claim_event: { ...lease, p_lease_ms: 30_000, p_now },
    extend_event: { ...lease, p_lease_ms: 30_000, p_now },
    confirm_event: { ...lease, p_ttl_ms: 604_800_000, p_now },
    release_event: { ...lease, p_now },
    check_and_mark_processed: { ...event, p_ttl_ms: 604_800_000, p_now },
    purge_processed_events: { p_limit: 10, p_now },
  };
}
