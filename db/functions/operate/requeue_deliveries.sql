create or replace function outrider.requeue_deliveries(
  p_workspace_id text,
  p_delivery_ids uuid[],
  p_dry_run boolean,
  p_operator text,
  p_reason text,
  p_over interval default null,
  p_now timestamptz default clock_timestamp()
)
  returns table (delivery_id uuid, requeued boolean, note text)
  language plpgsql
  volatile
  security definer
  set search_path = outrider, pg_temp
as $$
#variable_conflict use_column
declare
  v_max_attempts integer;
  v_id uuid;
  v_delivery outrider.deliveries;
  v_refusal text;
  v_taken uuid[] := array[]::uuid[];
  v_place integer := 0;
  v_due_at timestamptz;
begin
  perform outrider.require_workspace('requeue_deliveries', p_workspace_id);
  perform outrider.require_list('requeue_deliveries', 'delivery_ids', p_delivery_ids, p_now, 0);
  perform outrider.require_flag('requeue_deliveries', 'dry_run', p_dry_run);
  perform outrider.require_operator('requeue_deliveries', p_operator, p_reason);
  perform outrider.require_span('requeue_deliveries', 'over', coalesce(p_over, interval '0'), interval '0', interval '7 days');
  select s.max_attempts into v_max_attempts from outrider.workspace_settings s where s.workspace_id = p_workspace_id;
  perform outrider.lock_suppressed(p_workspace_id, p_delivery_ids);

  for v_id in select distinct x.id from unnest(p_delivery_ids) as x (id) order by x.id loop
    select d.* into v_delivery from outrider.deliveries d
    where d.workspace_id = p_workspace_id and d.delivery_id = v_id
    for no key update;

    v_refusal := outrider.requeue_fault(v_delivery, p_now);
    if v_refusal is null and not p_dry_run then
      v_taken := v_taken || v_id;
    end if;
    return query select v_id, v_refusal is null,
      coalesce(v_refusal, case when v_delivery.outcome_unknown and v_delivery.status = 'failed_permanent'
        then 'it may have arrived already: nobody knows' end);
  end loop;

  for v_delivery in
    select d.*
    from unnest(v_taken) as u (id)
    cross join lateral (
      select x.* from outrider.deliveries x where x.delivery_id = u.id
      offset 0 -- by the id alone, see next_steps
    ) d
    where d.workspace_id = p_workspace_id
    order by d.seq
  loop
    v_due_at := p_now + coalesce(p_over, interval '0') * (v_place::double precision / cardinality(v_taken));
    v_place := v_place + 1;
    update outrider.deliveries d
    set status = 'retry', next_retry_at = v_due_at, attempt_limit = d.attempt + v_max_attempts,
        outcome_unknown = d.outcome_unknown and d.status = 'dead', waited = null, failed_at = null,
        updated_at = p_now, occurrence = coalesce(d.occurrence, (
          select coalesce(max(x.occurrence), 0) + 1 from outrider.deliveries x
          where x.workspace_id = p_workspace_id and x.message_id = d.message_id and x.channel_id = d.channel_id))
    where d.workspace_id = p_workspace_id and d.delivery_id = v_delivery.delivery_id;
    perform outrider.write_delivery_event(v_delivery, 'manual_requeue', null,
      jsonb_build_object('operator', p_operator, 'reason', p_reason, 'from_status', v_delivery.status,
        'next_retry_at', case when p_over is not null then v_due_at end), p_now);
  end loop;
end;
$$;

comment on function outrider.requeue_deliveries is $doc$Sends dead and failed deliveries again, on an operator's order: they are due at once, and all their attempts are
available again. Also sends what was suppressed because it seemed nearly the same as another post.

A delivery that failed because nobody knows whether it arrived is sent as one that did not arrive: the operator has
looked. A dead one may still have arrived; its next attempt first looks into the chat, where the platform allows that.

p_over: they become due one after the other within this time, evenly and in the order in which they were accepted, so
that a thousand of them do not stand in front of every new post. Null: all at once. 7 days at most.
p_dry_run: only says what it would do.
Refused, each with its reason: a delivery that is neither dead nor failed, nor suppressed as nearly the same; one that
the checks refused before it was ever tried; one that failed because of its channel, while the channel is still paused or
disabled; one whose message was accepted for the channel again since.
Concurrency: the messages of suppressed deliveries are locked first, then deliveries, each in order.
Returns: one row for each id; none for an empty list. `note` is the reason of a refusal, or the warning that a delivery may
have arrived already: one that failed because nobody knows.
Raises: OR001, OR002, OR003.$doc$;

grant execute on function outrider.requeue_deliveries to outrider_worker;
