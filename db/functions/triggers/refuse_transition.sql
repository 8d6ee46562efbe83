-- Refuses what the state machine does not allow. Its moves stand in this file, each once: into `sending`, and from there to
-- `sent`, in the trigger's `when`; all others in the function. Who may start a delivery as `sending` is said by
-- queue_new_deliveries. PostgreSQL copies a `when` for every statement that writes the table, and parses it for every
-- statement that updates it. So a longer one makes every push, claim and commit dearer, while a call of the function costs
-- only the delivery that makes another move.
--
-- Only a claim moves a delivery to `claimed` or `sending`. Only a claim writes the row in delivery_queue or the lease by
-- which such a delivery is found again, and no constraint can check for these.
--
-- Raises: OR004, naming the pair.
create or replace function outrider.refuse_transition()
  returns trigger
  language plpgsql
  volatile
  set search_path = outrider, pg_temp
as $$
begin
  if tg_op = 'INSERT' then
    perform outrider.refuse_start(new.delivery_id, new.status);
  end if;
  if old.sent_at <> new.sent_at then
    raise exception using errcode = 'OR004',
      message = format('delivery %s cannot change when it was sent', new.delivery_id),
      hint = 'The event that says so is found by that time.';
  end if;
  if new.attempt = old.attempt and (
    old.status = new.status
    -- a claim of what has a slot ahead
    or (
      old.status in ('queued', 'retry') and new.status = 'claimed'
      and current_setting('outrider.claiming', true) is not distinct from 'on'
    )
    or (old.status = 'claimed' and new.status in ('queued', 'retry', 'dead'))
    or (old.status = 'sending' and new.status in ('retry', 'failed_permanent', 'dead'))
    or (old.status in ('queued', 'retry') and new.status in ('failed_permanent', 'deduped'))
    or (old.status = 'retry' and new.status = 'dead')
    -- an operator's requeue; also of what was suppressed because it seemed nearly the same as another
    or (
      new.status = 'retry'
      and (old.status in ('failed_permanent', 'dead') or old.status = 'deduped' and old.render_meta ? 'similar')
    )
    -- an operator has found in the chat what may have arrived
    or (
      old.status = 'failed_permanent' and new.status = 'sent' and old.outcome_unknown and not new.outcome_unknown
    )
  ) then
    return null;
  end if;
  if old.status = new.status then
    raise exception using errcode = 'OR004',
      message = format('delivery %s cannot change its attempt from %s to %s while it stays "%s"',
        new.delivery_id, old.attempt, new.attempt, new.status),
      hint = 'Attempts are counted on the way into sending.';
  end if;
  raise exception using errcode = 'OR004',
    message = format('delivery %s cannot go from "%s" to "%s"', new.delivery_id, old.status, new.status),
    hint = 'See the state machine in ARCHITECTURE.md. Only claim_deliveries moves a delivery to claimed or sending: it brings the slot or the lease.';
end;
$$;

create or replace trigger deliveries_start_only_in_a_starting_state
  after insert on outrider.deliveries
  for each row
  when (new.status in ('claimed', 'sent', 'retry', 'dead') or new.status = 'sending' and new.attempt <> 1)
  execute function outrider.refuse_transition();

-- An after trigger: a before trigger would lock every row a second time.
create or replace trigger deliveries_move_only_as_allowed
  after update of status, attempt, sent_at on outrider.deliveries
  for each row
  when (
    not (
      (old.status = 'sending' and new.status = 'sent' and new.attempt = old.attempt)
      -- a claim of what is due
      or (
        new.status = 'sending' and old.status in ('queued', 'retry', 'claimed')
        and new.claim_token is not null
        and new.claimed_at is not null
        and new.sending_started_at is not null
        and new.attempt = old.attempt + 1
        and current_setting('outrider.claiming', true) is not distinct from 'on'
      )
    )
  )
  execute function outrider.refuse_transition();
