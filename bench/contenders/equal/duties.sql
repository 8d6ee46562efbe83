-- What a careful user adds to a queue so that it does Outrider's duties: tables beside the queue's own, and one
-- function for each step, for any number of deliveries at once or for a single one.

create schema duties;

-- Content that a channel has got or will get, and until when it does not get it again.
create table duties.seen (
  channel text collate "C" not null,
  content_hash bytea not null,
  seen_until timestamptz not null,
  primary key (channel, content_hash)
);

create table duties.rate_groups (
  rate_group text collate "C" primary key,
  step interval not null,
  next_at timestamptz not null default '-infinity'
) with (fillfactor = 20);

create table duties.channels (
  channel text collate "C" primary key,
  rate_group text collate "C" not null references duties.rate_groups,
  step interval not null,
  next_at timestamptz not null default '-infinity'
) with (fillfactor = 20);

-- Room on the page for the update at the end of an attempt.
create table duties.attempts (
  job_id text collate "C" not null,
  attempt integer not null,
  channel text collate "C" not null,
  started_at timestamptz not null,
  ended_at timestamptz,
  message_id text,
  error text,
  primary key (job_id, attempt)
) with (fillfactor = 60);

create table duties.dead_letters (
  job_id text collate "C" primary key,
  channel text collate "C" not null,
  payload jsonb not null,
  error text not null,
  died_at timestamptz not null
);

-- Marks contents as seen; returns those that are new to their channel, or that it has not got for so long.
-- In order, so that two calls never wait for one another in a circle.
create function duties.mark_seen(p_channels text[], p_hashes bytea[], p_window interval)
  returns table (channel text, content_hash bytea)
  language sql
  volatile
as $$
  insert into duties.seen as s (channel, content_hash, seen_until)
  select distinct a.channel, a.content_hash, now() + p_window
  from unnest(p_channels, p_hashes) a (channel, content_hash)
  order by 1, 2
  on conflict (channel, content_hash) do update set seen_until = excluded.seen_until
    where s.seen_until <= now()
  returning s.channel, s.content_hash
$$;

-- Gives each send a slot of its channel and of its group; returns for how long each has to wait, in the order asked for.
create function duties.take_slots(p_channels text[])
  returns table (wait_ms double precision)
  language plpgsql
  volatile
as $$
declare
  v_now timestamptz;
begin
  perform from duties.channels c where c.channel = any (p_channels) order by c.channel for no key update;
  perform from duties.rate_groups g
  where g.rate_group in (select c.rate_group from duties.channels c where c.channel = any (p_channels))
  order by g.rate_group for no key update;
  v_now := clock_timestamp();
  return query
    with asked as materialized (
      select a.nth, c.channel, c.rate_group,
        row_number() over (partition by c.channel order by a.nth) - 1 as nth_of_channel,
        row_number() over (partition by c.rate_group order by a.nth) - 1 as nth_of_group
      from unnest(p_channels) with ordinality a (channel, nth)
      join duties.channels c on c.channel = a.channel
    ),
    moved_channels as (
      update duties.channels c set next_at = greatest(c.next_at, v_now) + c.step * k.count
      from (select a.channel, count(*) from asked a group by a.channel) k
      where c.channel = k.channel
      returning c.channel, c.step, greatest(old.next_at, v_now) as first_at
    ),
    moved_groups as (
      update duties.rate_groups g set next_at = greatest(g.next_at, v_now) + g.step * k.count
      from (select a.rate_group, count(*) from asked a group by a.rate_group) k
      where g.rate_group = k.rate_group
      returning g.rate_group, g.step, greatest(old.next_at, v_now) as first_at
    )
    select extract(epoch from
      greatest(c.first_at + c.step * a.nth_of_channel, g.first_at + g.step * a.nth_of_group) - v_now
    )::double precision * 1000
    from asked a
    join moved_channels c on c.channel = a.channel
    join moved_groups g on g.rate_group = a.rate_group
    order by a.nth;
end
$$;

-- The same for a single send, without what a number of them needs.
create function duties.take_slot(p_channel text)
  returns double precision
  language plpgsql
  volatile
as $$
declare
  v_now timestamptz := clock_timestamp();
  v_group text;
  v_channel_at timestamptz;
  v_group_at timestamptz;
begin
  update duties.channels c set next_at = greatest(c.next_at, v_now) + c.step
  where c.channel = p_channel
  returning c.rate_group, greatest(old.next_at, v_now) into v_group, v_channel_at;
  update duties.rate_groups g set next_at = greatest(g.next_at, v_now) + g.step
  where g.rate_group = v_group
  returning greatest(old.next_at, v_now) into v_group_at;
  return extract(epoch from greatest(v_channel_at, v_group_at) - v_now)::double precision * 1000;
end
$$;

create function duties.start_attempts(p_jobs text[], p_attempts integer[], p_channels text[])
  returns void
  language sql
  volatile
as $$
  insert into duties.attempts (job_id, attempt, channel, started_at)
  select a.job_id, a.attempt, a.channel, clock_timestamp()
  from unnest(p_jobs, p_attempts, p_channels) a (job_id, attempt, channel)
  on conflict do nothing
$$;

create function duties.end_attempts(p_jobs text[], p_attempts integer[], p_message_ids text[], p_errors text[])
  returns void
  language sql
  volatile
as $$
  update duties.attempts t
  set ended_at = clock_timestamp(), message_id = a.message_id, error = a.error
  from unnest(p_jobs, p_attempts, p_message_ids, p_errors) a (job_id, attempt, message_id, error)
  where t.job_id = a.job_id and t.attempt = a.attempt
$$;

-- Keeps a job whose last attempt failed.
create function duties.bury(p_job text, p_channel text, p_payload jsonb, p_error text)
  returns void
  language sql
  volatile
as $$
  insert into duties.dead_letters (job_id, channel, payload, error, died_at)
  values (p_job, p_channel, p_payload, p_error, clock_timestamp())
  on conflict do nothing
$$;
