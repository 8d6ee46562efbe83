create or replace function outrider.claim_bot_replies(
  p_run_id text,
  p_limit integer,
  p_now timestamptz default clock_timestamp()
)
  returns table (
    workspace_id text,
    reply_id uuid,
    claim_token uuid,
    lease_ms bigint,
    attempt integer,
    outcome_unknown boolean,
    platform text,
    chat_id text,
    auth_ref text,
    secret_ref text,
    rate_group text,
    reply jsonb,
    callback_id text,
    trace_id text,
    previous_message_id text,
    wait_ms double precision
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
  v_token constant uuid := gen_random_uuid();
  v_due record;
  v_left integer := p_limit;
  v_share integer;
  v_lease interval;
  v_slots record;
  v_taken integer;
begin
  perform outrider.require_run('claim_bot_replies', 'run_id', p_run_id, p_limit, p_now);

  for v_due in
    select d.*, count(*) over () as groups from outrider.due_bot_groups(p_now) d where d.due_at <= p_now
    order by d.due_at, d.workspace_id, d.provider, d.rate_group
  loop
    exit when v_left <= 0;
    v_share := least(v_left, greatest(1, p_limit / v_due.groups::integer));
    v_slots := outrider.take_bot_slots(v_due.workspace_id, v_due.provider, v_due.rate_group, v_share, p_now);
    continue when v_slots.room is null;

    select s.sending_lease into v_lease from outrider.workspace_settings s where s.workspace_id = v_due.workspace_id;
    return query
    with picked as (
      select o.reply_id, row_number() over (order by o.due_at, o.seq) - 1 as n
      from (
        select x.reply_id, x.due_at, x.seq from outrider.bot_outbox x
        where x.workspace_id = v_due.workspace_id and x.provider = v_due.provider and x.rate_group = v_due.rate_group
          and x.due_at <= p_now
        order by x.due_at, x.seq
        limit v_slots.room
        for no key update skip locked
      ) o
    ),
    moved as (
      update outrider.bot_outbox o
      set status = 'sending', due_at = null, attempt = o.attempt + 1, claim_token = v_token,
          sending_started_at = v_slots.first_slot + p.n * v_slots.step,
          lease_until = v_slots.first_slot + p.n * v_slots.step + v_lease
      from picked p
      where o.workspace_id = v_due.workspace_id and o.reply_id = p.reply_id
      returning o.*, p.n
    )
    select
      m.workspace_id, m.reply_id, v_token, (extract(epoch from m.lease_until - p_now) * 1000)::bigint, m.attempt, m.outcome_unknown,
      m.provider, m.chat_id, m.auth_ref, b.secret_ref, m.rate_group, m.reply, m.callback_id, m.trace_id,
      case when m.outcome_unknown then outrider.previous_bot_reply(m.workspace_id, m.provider, m.chat_id, m.seq) end,
      ceil(extract(epoch from v_slots.first_slot + m.n * v_slots.step - p_now) * 1000)::double precision
    from moved m
    left join outrider.credential_bindings b on b.workspace_id = m.workspace_id and b.auth_ref = m.auth_ref
    order by m.n;
    get diagnostics v_taken = row_count;
    v_left := v_left - v_taken;
    if v_taken > 0 and v_slots.step > interval '0' then
      update outrider.platform_limits g
      set next_allowed_at = v_slots.first_slot + v_taken * v_slots.step, updated_at = p_now
      where g.workspace_id = v_due.workspace_id and g.platform = v_due.provider and g.rate_group = v_due.rate_group;
    end if;
  end loop;
end;
$$;

comment on function outrider.claim_bot_replies is $doc$Hands the next replies of all bots to one sender, each under a lease and with a slot of its rate group, from the same
budget as deliveries. Of a chat one reply is under way at a time; the next is due when that one has ended and the pace of
the chat allows it.

A rate group that cools down, rests or is closed gives none; in an outage it gives one, as a probe. Groups that have
replies due share p_limit; the group whose reply has been due for longest comes first.
Concurrency: waits for nobody. A group that somebody has locked at this moment gives none: when next_bot_reply_at says that
something is due and a claim brings nothing, ask again some milliseconds later. Locks platform_limits, then the
replies.
Returns: all that a send needs. `wait_ms` is how long to wait for the slot, a quarter of a second at most. The lease is
given as a length, to be counted from before the call. `outcome_unknown`: an earlier attempt may have arrived;
`previous_message_id` then names the reply before it in the chat: what may have arrived stands after that one.
Raises: OR001.$doc$;

grant execute on function outrider.claim_bot_replies to outrider_service;
