create or replace function outrider.explain_delivery(
  p_workspace_id text,
  p_delivery_id text,
  p_now timestamptz default clock_timestamp()
)
  returns table (because text, until timestamptz, detail jsonb, advice text)
  language plpgsql
  stable
  security definer
  set search_path = outrider, pg_temp
  set plan_cache_mode = force_generic_plan
  set enable_seqscan = off
  set enable_bitmapscan = off
  set enable_hashjoin = off
  set enable_mergejoin = off
  set jit = off
as $$
#variable_conflict use_column
declare
  v_id uuid;
  v_delivery outrider.deliveries;
begin
  perform outrider.require_workspace('explain_delivery', p_workspace_id);
  perform outrider.require_time('explain_delivery', p_now);
  perform outrider.require_text('explain_delivery', 'delivery_id', p_delivery_id, 36);
  v_id := outrider.whole_id(p_delivery_id);
  if v_id is null then
    raise exception using errcode = 'OR001',
      message = format('explain_delivery: delivery_id %s is not the whole id of a delivery', outrider.excerpt(p_delivery_id));
  end if;
  select x.* into v_delivery
  from (select y.* from outrider.deliveries y where y.delivery_id = v_id offset 0) x -- see next_steps
  where x.workspace_id = p_workspace_id;

  return query
  select e.because, e.until, e.detail, e.advice
  from unnest(
    case when v_delivery.delivery_id is null then array[outrider.explain_gone(p_workspace_id, v_id, p_now)]
      else outrider.explain_one(v_delivery, p_now) end
  ) with ordinality as e (because, until, detail, advice, n)
  order by e.n;
end;
$$;

comment on function outrider.explain_delivery is $doc$Why a delivery waits, how it ended, or why it is not there, in sentences. The main reason comes first, then everything
else that keeps it, and what people did with it.

Returns: `because` and `advice` are finished sentences, with personal data masked: why, and what to do. `until` is when
the reason ends, null when that is not a matter of time. `detail` is {reason, and the facts in the sentences}; docs/explain.md
lists the reasons. A delivery that is not there has one row: it was deleted after its time (purged), or is not known
(unknown_delivery).
Raises: OR001, OR002, OR003.$doc$;

grant execute on function outrider.explain_delivery to outrider_reader;
