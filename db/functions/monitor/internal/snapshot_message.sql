-- A health snapshot in words.
create or replace function outrider.snapshot_message(p_snapshot jsonb)
  returns text
  language sql
  stable
as $$
  select left(concat_ws(e'\n',
    format('Outrider, workspace %s: health snapshot', p_snapshot ->> 'workspace_id'),
    'Deliveries: ' || (
      select string_agg(format('%s %s', s.value, replace(s.key, '_', ' ')), ', ' order by o.place)
      from jsonb_each_text(p_snapshot -> 'by_status') s
      join unnest(array['queued', 'retry', 'claimed', 'sending', 'failed_permanent', 'dead']) with ordinality as o (key, place) on o.key = s.key),
    'Last hour: ' || (
      select string_agg(format('%s %s', s.value, s.key), ', ' order by o.place)
      from jsonb_each_text(p_snapshot -> 'last_hour') s
      join unnest(array['sent', 'retried', 'failed', 'dead', 'deduped']) with ordinality as o (key, place) on o.key = s.key),
    'Oldest due: ' || outrider.span_in_words((p_snapshot ->> 'now')::timestamptz - (p_snapshot #>> '{oldest_due,due_since}')::timestamptz)
      || ', in ' || (p_snapshot #>> '{oldest_due,channel_id}'),
    'Errors: ' || (
      select string_agg(format('%s × %s (%s)', e.value ->> 'count', e.value ->> 'code',
        coalesce(regexp_replace(e.value ->> 'message', '[\s[:cntrl:]\u2028\u2029]+', ' ', 'g'), 'no message')), '; ')
      from jsonb_array_elements(p_snapshot -> 'top_errors') e),
    'Channels that do not send: ' || (
      select outrider.some_names(array_agg(format('%s (%s)', c.value ->> 'channel_id', replace(c.value ->> 'state', '_', ' '))), 10)
      from jsonb_array_elements(p_snapshot -> 'channels_stopped') c),
    format('Services: %s alive, %s ready, %s silent', p_snapshot #>> '{services,alive}', p_snapshot #>> '{services,ready}',
      p_snapshot #>> '{services,silent}'),
    'Oldest open transaction: ' || case when p_snapshot ->> 'oldest_transaction' = 'unknown' then 'unknown'
      else 'for ' || outrider.span_in_words((p_snapshot ->> 'now')::timestamptz - (p_snapshot ->> 'oldest_transaction')::timestamptz) end,
    format('Alerts: %s open, %s not delivered', p_snapshot #>> '{alerts,open}', p_snapshot #>> '{alerts,undelivered}')
  ), 3500);
$$;
