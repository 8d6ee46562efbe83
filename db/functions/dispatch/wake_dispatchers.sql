create or replace function outrider.wake_dispatchers()
  returns void
  language plpgsql
  volatile
  security definer
  set search_path = outrider, pg_temp
as $$
begin
  -- The payload is empty, because anybody who is logged in can listen.
  perform pg_notify('outrider_wake', '');
end;
$$;

comment on function outrider.wake_dispatchers is $doc$Tells every listening dispatcher that something may be due. This is only a hint: a dispatcher that misses it finds the
work when it next looks.

Call it after the commit that queued something, once for many commits: a notification inside each of these transactions
would make their commits wait for one another.$doc$;

grant execute on function outrider.wake_dispatchers to outrider_service;
