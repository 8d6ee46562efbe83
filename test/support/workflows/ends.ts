// How a call of a function ends a claimed row, in a line; and what else matters of a run.

import { z } from 'zod';
import type { Call } from './run.ts';

const Entries = z.array(
  z.looseObject({
    ok: z.boolean(),
    claim_token: z.string(),
    error: z
      .object({
        outcome: z.string(),
        code: z.string(),
        category: z.string(),
        scope: z.string(),
        cause: z.string().optional(),
      })
      .optional(),
  }),
);

type EntryError = NonNullable<z.output<typeof Entries>[number]['error']>;

/** What the workflows say themselves of a send is for now, of the one delivery, and of no platform's making. */
const causes: Readonly<Record<string, string>> = {
  unreachable: 'sender',
  aborted: 'sender',
  outcome_unknown: 'outage',
};

function inWords({ outcome, code, category, scope, cause }: EntryError): string {
  const ours = causes[code];
  const isRight = category === 'TRANSIENT' && scope === 'delivery' && cause === ours;
  return [outcome, code, ...(ours === undefined || isRight ? [] : [category, scope, cause])].join(
    ' ',
  );
}

interface Claim {
  readonly workspace_id: string;
  readonly claim_token: string;
}

export const woken = 'the dispatchers are woken';

/** Who is ended by a call, and how: a line for each row. */
export function endsIn({ name, args }: Call): string[] {
  const [workspaceId] = args;
  const line = (id: unknown, token: unknown, how: string): string =>
    [workspaceId, id, token, how].join(' ');
  const ofEntries = (key: string): string[] =>
    Entries.parse(JSON.parse(String(args[1]))).map((each) => {
      const { ok, error } = each;
      const how = ok || error === undefined ? 'sent' : inWords(error);
      const isOwn = !ok || each['provider_message_id'] === `of ${each.claim_token}`;
      return line(each[key], each.claim_token, isOwn ? how : 'sent as another');
    });
  switch (name) {
    case 'commit_outcomes':
      return ofEntries('delivery_id');
    case 'commit_bot_replies':
      return ofEntries('reply_id');
    case 'release_claims':
      return z
        .array(z.string())
        .parse(args[2])
        .map((id) => line(id, args[1], 'released'));
    case 'commit_notification':
      return [line(args[1], args[2], args.slice(3).map(String).join(' '))];
    case 'ingest_pull_chunk':
      return [line(args[1], args[4], `taken ${String(args[2])} to ${String(args[3])}`)];
    case 'fail_pull':
      return [line(args[1], args[2], `failed: ${String(args[3])} ${String(args[4])}`)];
    case 'release_pull':
      return [line(args[1], args[2], 'released')];
    case 'wake_dispatchers':
      return [woken];
    case 'take_run':
    case 'next_workspaces':
    case 'end_run':
    case 'run_bot_turn':
    case 'recover_bot_replies':
    case 'recover_leases':
    case 'evaluate_alerts':
    case 'health_snapshot':
    case 'ensure_event_partitions':
    case 'purge_expired':
    case 'purge_outbox':
      return [`${name} ${JSON.stringify(args)}`];
    default:
      return [];
  }
}

/** The line that is expected of a row. */
export function ended(row: Claim, id: string, how: string): string {
  return `${row.workspace_id} ${id} ${row.claim_token} ${how}`;
}
