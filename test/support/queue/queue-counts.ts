// Counts of deliveries, leases and delivery_queue in one snapshot, to see whether the three tables agree.

import type pg from 'pg';
import { z } from 'zod';
import { queryRow } from '../../../src/db/query-rows.ts';

const QueueCounts = z.object({
  sending: z.number(),
  held: z.number(),
  waiting: z.number(),
  queue: z.number(),
  strays: z.number(),
  crowded: z.number(),
});

export type QueueCounts = z.output<typeof QueueCounts>;

/**
 * `sending` and `waiting` count deliveries by their status, `held` the deliveries that leases say are being sent,
 * `queue` the rows of delivery_queue. `strays` counts leases and queue rows that contradict their deliveries,
 * `crowded` channels that send more than their max_parallel. The tables agree when sending = held, waiting = queue,
 * and `strays` and `crowded` are 0.
 */
export function countQueue(admin: pg.Pool, workspaceId: string): Promise<QueueCounts> {
  return queryRow(
    admin,
    QueueCounts,
    `with live as (
       select d.* from outrider.deliveries d
       where d.workspace_id = $1 and d.status in ('queued', 'retry', 'claimed', 'sending')
     ),
     leased as (
       select l.channel_id, l.claim_token, l.open_count, count(d.delivery_id) as open
       from outrider.leases l
       left join live d on d.status = 'sending' and d.claim_token = l.claim_token
         and d.channel_id = l.channel_id and d.delivery_id = any (l.delivery_ids)
       where l.workspace_id = $1
       group by l.channel_id, l.claim_token, l.open_count
     )
     select
       (select count(*) from live where status = 'sending')::int as sending,
       (select coalesce(sum(open_count), 0) from leased)::int as held,
       (select count(*) from live where status <> 'sending')::int as waiting,
       (select count(*) from outrider.delivery_queue where workspace_id = $1)::int as queue,
       (select count(*) from leased where open <> open_count)::int
       + (
         select count(*) from outrider.delivery_queue q
         left join live d using (delivery_id)
         where q.workspace_id = $1
           and (d.status in ('queued', 'retry', 'claimed') and q.claimed = (d.status = 'claimed')) is not true
       )::int as strays,
       (
         select count(*) from outrider.channels c
         where c.workspace_id = $1 and c.max_parallel < (
           select count(*) from live d where d.channel_id = c.channel_id and d.status in ('sending', 'claimed')
         )
       )::int as crowded`,
    [workspaceId],
  );
}

/** The counts of tables that agree. */
export function agreeing({ sending, waiting }: { sending: number; waiting: number }): QueueCounts {
  return { sending, held: sending, waiting, queue: waiting, strays: 0, crowded: 0 };
}
