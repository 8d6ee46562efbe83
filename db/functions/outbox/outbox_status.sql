create or replace function outrider.outbox_status(p_max_attempts integer, p_now timestamptz default clock_timestamp())
  returns jsonb
  language plpgsql
  stable
  security definer
  set search_path = outrider, pg_temp
  set plan_cache_mode = force_generic_plan
  set enable_seqscan = off
  set enable_bitmapscan = off
  set jit = off
as $$
declare
  v_most constant integer := 10000;
  v_unpublished integer;
  v_failed integer;
  v_published integer;
  v_oldest timestamptz;
begin
  perform outrider.require_publishing('outbox_status', p_max_attempts, p_now);

  select count(*)::integer into v_unpublished
  from (select from outrider.outbox_events e where e.published_at is null order by e.created_at limit v_most) x;
  select count(*)::integer into v_failed
  from (select from outrider.given_up_events(null, p_max_attempts, v_most)) x;
  select count(*)::integer into v_published
  from (
    select from outrider.outbox_events e
    where e.published_at > p_now - interval '1 hour' and e.published_at <= p_now
    order by e.published_at desc
    limit v_most
  ) x;
  select e.created_at into v_oldest from outrider.outbox_events e
  where e.published_at is null
  order by e.created_at, e.id
  limit 1;

  return jsonb_build_object(
    'unpublished', v_unpublished,
    'oldest_unpublished_seconds', case when v_oldest is not null then greatest(0, extract(epoch from p_now - v_oldest)) end,
    'failed', v_failed,
    'published_last_hour', v_published,
    'cut', to_jsonb(array_remove(array[
      case when v_unpublished = v_most then 'unpublished' end,
      case when v_failed = v_most then 'failed' end,
      case when v_published = v_most then 'published_last_hour' end
    ], null))
  );
end;
$$;

comment on function outrider.outbox_status is $doc$The state of the outbox: {unpublished, oldest_unpublished_seconds, failed, published_last_hour, cut}.

`failed` counts the events that were given up: the broker refused them, or they failed p_max_attempts times. Counting
stops at 10,000; `cut` names the counts that are only a lower bound. oldest_unpublished_seconds is null when nothing
waits.
Raises: OR001.$doc$;

grant execute on function outrider.outbox_status to outrider_publisher;
