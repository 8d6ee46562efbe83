-- How many deliveries of some channels wait: due now, scheduled for later, to be retried later, and claimed with a slot
-- ahead.
--
-- Due deliveries are counted up to 10,000. Of those that are not due yet, only the next ones of each channel are
-- counted: p_look in all, but at least a hundredth of that of each channel. Retries come before deliveries that are
-- scheduled for another day.
-- Returns: `cut` names the counts that are only a lower bound.
create or replace function outrider.waiting_counts(
  p_workspace_id text,
  p_channels text[],
  p_look integer,
  p_now timestamptz,
  out due integer,
  out scheduled integer,
  out retrying integer,
  out claimed integer,
  out cut text[]
)
  language plpgsql
  stable
as $$
declare
  v_reach constant integer := greatest(p_look / 100, p_look / greatest(cardinality(p_channels), 1));
  v_most integer;
begin
  select count(*)::integer into due
  from (
    select
    from unnest(p_channels) as c (id)
    cross join lateral (
      select from outrider.delivery_queue q
      where q.workspace_id = p_workspace_id and q.channel_id = c.id and q.available_at <= p_now and not q.claimed
      limit 10000
    ) q
    limit 10000
  ) x;

  select count(*)::integer into claimed
  from unnest(p_channels) as c (id)
  join outrider.delivery_queue q on q.workspace_id = p_workspace_id and q.channel_id = c.id and q.claimed;

  select coalesce(sum(l.queued), 0)::integer, coalesce(sum(l.retry), 0)::integer, coalesce(max(l.queued + l.retry), 0)::integer
  into scheduled, retrying, v_most
  from unnest(p_channels) as c (id)
  cross join lateral (
    select count(*) filter (where d.status = 'queued') as queued, count(*) filter (where d.status = 'retry') as retry
    from (
      select q.delivery_id from outrider.delivery_queue q
      where q.workspace_id = p_workspace_id and q.channel_id = c.id and q.available_at > p_now and not q.claimed
      order by q.available_at
      limit v_reach
    ) q
    cross join lateral (
      select x.workspace_id, x.status from outrider.deliveries x where x.delivery_id = q.delivery_id
      offset 0 -- by the id alone, see next_steps
    ) d
    where d.workspace_id = p_workspace_id
  ) l;

  cut := case when due = 10000 then array['due'] else '{}' end
    || case when v_most >= v_reach then array['scheduled', 'retrying'] else '{}' end;
end;
$$;
