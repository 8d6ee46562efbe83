create or replace function outrider.next_bot_reply_at(p_now timestamptz default clock_timestamp())
  returns timestamptz
  language plpgsql
  stable
  security definer
  set search_path = outrider, pg_temp
  set enable_seqscan = off
as $$
begin
  perform outrider.require_time('next_bot_reply_at', p_now);
  return (
    select greatest(p_now, min(d.due_at)) from outrider.due_bot_groups(p_now) d where d.due_at < 'infinity'
    having count(*) > 0
  );
end;
$$;

comment on function outrider.next_bot_reply_at is $doc$When the next reply of any bot will be due, so that a sender can sleep until then: p_now when one is due already, null
when none waits for a known time.

Raises: OR001.$doc$;

grant execute on function outrider.next_bot_reply_at to outrider_service;
