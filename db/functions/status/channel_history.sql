create or replace function outrider.channel_history(
  p_workspace_id text,
  p_span interval,
  p_bars integer,
  p_now timestamptz default clock_timestamp()
)
  returns table (channel_id text, sent integer[], retried integer[], failed integer[])
  language plpgsql
  stable
  security definer
  set search_path = outrider, pg_temp
as $$
#variable_conflict use_column
declare
  v_end timestamptz;
  v_step interval;
begin
  perform outrider.require_workspace('channel_history', p_workspace_id);
  perform outrider.require_span('channel_history', 'span', p_span, interval '5 minutes', interval '8 days');
  if p_bars is null or p_bars not between 1 and 200 then
    raise exception using errcode = 'OR001',
      message = format('channel_history: bars is %s; 1 to 200 are allowed', coalesce(p_bars::text, 'missing'));
  end if;
  perform outrider.require_time('channel_history', p_now);
  v_end := date_bin('5 minutes', p_now, 'epoch') + interval '5 minutes';
  v_step := p_span / p_bars;

  return query
  select
    c.channel_id,
    array_agg(coalesce(b.sent, 0)::integer order by n.bar), array_agg(coalesce(b.retried, 0)::integer order by n.bar),
    array_agg(coalesce(b.failed, 0)::integer order by n.bar)
  from (
    select distinct s.channel_id from outrider.channel_samples s
    where s.workspace_id = p_workspace_id and s.at >= v_end - p_span and s.at < v_end
  ) c
  cross join generate_series(0, p_bars - 1) as n (bar)
  left join (
    select s.channel_id, least(p_bars - 1, floor(extract(epoch from s.at - (v_end - p_span)) / extract(epoch from v_step)))::integer as bar,
      sum(s.sent) as sent, sum(s.retried) as retried, sum(s.failed) as failed
    from outrider.channel_samples s
    where s.workspace_id = p_workspace_id and s.at >= v_end - p_span and s.at < v_end
    group by 1, 2
  ) b on b.channel_id = c.channel_id and b.bar = n.bar
  group by c.channel_id
  order by c.channel_id;
end;
$$;

comment on function outrider.channel_history is $doc$What became of the deliveries of each channel within p_span (5 minutes to 8 days) before the end of the running five minutes,
in p_bars equal parts (1 to 200): how many were sent, were put off to be tried again, and failed (refused for good, refused by
the checks before queueing, or dead).

Returns: one row for each channel in which something happened. The lists have p_bars numbers each, the oldest first. The last
minute may be missing: take_samples counts what has happened once a minute.
Raises: OR001, OR002, OR003.$doc$;

grant execute on function outrider.channel_history to outrider_reader;
