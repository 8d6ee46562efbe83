create or replace function outrider.mark_publish_failed(
  p_failures jsonb,
  p_max_attempts integer,
  p_now timestamptz default clock_timestamp()
)
  returns table (
    event_id uuid, became text, given_up text, attempt_count integer, next_attempt_at timestamptz, note text
  )
  language plpgsql
  volatile
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
  v_failure record;
  v_event outrider.outbox_events;
begin
  perform outrider.require_failures(p_failures, p_max_attempts, p_now);

  for v_failure in
    select distinct on (f.id) f.id, f.error, f.refused
    from (
      select
        (e.entry ->> 'event_id')::uuid as id, e.entry ->> 'error' as error,
        coalesce((e.entry ->> 'refused')::boolean, false) as refused, e.place
      from jsonb_array_elements(p_failures) with ordinality as e (entry, place)
    ) f
    order by f.id, f.place -- every call locks in this order
  loop
    select e.* into v_event from outrider.outbox_events e where e.id = v_failure.id for update;
    event_id := v_failure.id;
    became := null;
    given_up := null;
    next_attempt_at := null;
    attempt_count := v_event.attempt_count;
    note := case
      when v_event.id is null then 'there is no such event'
      when v_event.published_at is not null then 'it is published already'
    end;
    if note is null then
      attempt_count := v_event.attempt_count + 1;
      next_attempt_at := p_now + outrider.publish_delay(attempt_count, random());
      given_up := case when v_failure.refused then 'refused' when attempt_count >= p_max_attempts then 'attempts' end;

      insert into outrider.outbox_backoff as b (event_id, attempt_count, not_before, failed_at, given_up)
      values (
        v_event.id, mark_publish_failed.attempt_count,
        case when v_failure.refused then 'infinity' else mark_publish_failed.next_attempt_at end, p_now,
        mark_publish_failed.given_up
      )
      on conflict (event_id) do update
      set attempt_count = excluded.attempt_count, not_before = excluded.not_before, failed_at = excluded.failed_at,
          given_up = excluded.given_up;
      -- The first cut bounds the work of masking; the second comes after masking, so that no half of a secret is left.
      update outrider.outbox_events e
      set attempt_count = e.attempt_count + 1, last_error = left(outrider.mask_text(left(v_failure.error, 10000)), 1000)
      where e.id = v_event.id;

      became := case when given_up is null then 'waiting' else 'given_up' end;
      if became = 'given_up' then
        next_attempt_at := null;
      end if;
    end if;
    return next;
  end loop;
end;
$$;

comment on function outrider.mark_publish_failed is $doc$Records that events could not be published, in the transaction that fetched them: counts the attempt, keeps the error,
masked and cut to 1,000 characters, and sets the time before which they are not tried again.

p_failures: [{event_id, error, refused?}]. `error` is a sentence; `refused` says that the broker will never take the
event. An event that is named twice failed once.
Returns: what became of each: `waiting` until next_attempt_at; or `given_up` until it is replayed or passed over, with
the reason: `refused`, or `attempts` at the limit; or null, with a note, for an event that is published or does not
exist.
Raises: OR001.$doc$;

grant execute on function outrider.mark_publish_failed to outrider_publisher;
