-- Deletes deliveries of a channel that were sent or suppressed before p_before, in order of arrival from p_seq on, up to
-- the first one that arrived later: none behind it can have ended before. One from the future is passed over: it came when
-- the clock was wrong, and says nothing of those behind it.
--
-- Failed ones are found another way, and those on their way stay. Both are passed over, and not looked at again before the
-- next sweep.
-- Concurrency: a delivery that somebody has locked is passed over.
-- Returns: the last one that was looked at, p_limit of them at most, and whether none is left.
create or replace function outrider.sweep_channel(
  p_workspace_id text,
  p_channel_id text,
  p_seq bigint,
  p_limit integer,
  p_before timestamptz,
  p_first_event timestamptz,
  p_now timestamptz,
  out removed integer,
  out looked integer,
  out seq bigint,
  out is_done boolean
)
  language plpgsql
  volatile
as $$
declare
  v_delivery record;
  v_ids uuid[] := array[]::uuid[];
begin
  looked := 0;
  seq := p_seq;
  is_done := true;
  for v_delivery in
    select
      d.delivery_id, d.seq, d.created_at,
      d.status in ('sent', 'deduped') and coalesce(d.sent_at, d.updated_at) < p_before
        and greatest(d.sent_at, d.updated_at) < p_first_event as goes
    from outrider.deliveries d
    where d.channel_id = p_channel_id and d.workspace_id = p_workspace_id and d.seq > p_seq
    order by d.seq
    limit p_limit + 1
  loop
    exit when v_delivery.created_at between p_before and p_now;
    is_done := looked < p_limit;
    exit when not is_done;
    looked := looked + 1;
    seq := v_delivery.seq;
    if v_delivery.goes then
      v_ids := v_ids || v_delivery.delivery_id;
    end if;
  end loop;

  delete from outrider.deliveries d
  using (
    select x.workspace_id, x.delivery_id
    from (select p_workspace_id as workspace_id, u.id from unnest(v_ids) as u (id) limit cardinality(v_ids)) s
    join outrider.deliveries x on x.workspace_id = s.workspace_id and x.delivery_id = s.id
    where x.status in ('sent', 'deduped')
    for update of x skip locked
  ) old
  where d.workspace_id = old.workspace_id and d.delivery_id = old.delivery_id;
  get diagnostics removed = row_count;
end;
$$;
