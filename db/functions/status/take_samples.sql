create or replace function outrider.take_samples(p_limit integer, p_now timestamptz default clock_timestamp())
  returns table (workspace_id text)
  language plpgsql
  volatile
  security definer
  set search_path = outrider, pg_temp
as $$
#variable_conflict use_column
declare
  v_round outrider.sample_rounds;
begin
  perform outrider.require_count('take_samples', p_limit, 1000);
  perform outrider.require_time('take_samples', p_now);

  insert into outrider.sample_rounds (workspace_id, sampled_at, counted_until)
  select w.workspace_id, '-infinity', p_now - interval '1 hour' from outrider.workspaces w
  where not exists (select from outrider.sample_rounds r where r.workspace_id = w.workspace_id)
  order by w.workspace_id
  on conflict do nothing;

  for v_round in
    select r.* from outrider.sample_rounds r
    where r.sampled_at not between p_now - interval '40 seconds' and p_now
    order by r.sampled_at, r.workspace_id
    limit p_limit
    for update skip locked
  loop
    perform outrider.sample_queue(v_round.workspace_id, p_now);
    perform outrider.sample_channels(v_round, p_now - interval '5 seconds');
    update outrider.sample_rounds r
    set sampled_at = p_now, counted_until = greatest(r.counted_until, p_now - interval '5 seconds')
    where r.workspace_id = v_round.workspace_id;
    workspace_id := v_round.workspace_id;
    return next;
  end loop;
end;
$$;

comment on function outrider.take_samples is $doc$Takes samples of workspaces that had none for 40 seconds, those that have waited longest first: how many deliveries wait
and are being sent, and what became of deliveries in each channel since the last time. The history of the status page is
made of them (queue_history, channel_history).

Of the samples of five minutes the fullest is kept. What happened is counted up to 5 seconds ago, because a commit may take
that long to be seen, and for an hour back at most: what nobody counted for longer stays out of the history.
Concurrency: a workspace that another call is sampling is passed over. It locks nothing that a sender needs.
Returns: the workspaces that were sampled; call it again while there are p_limit of them.
Raises: OR001.$doc$;

grant execute on function outrider.take_samples to outrider_service;
