-- Takes a contact out of what is kept beside messages, deliveries and events: receipts, runs, cursors, what stopped a
-- channel or a group, alerts and the messages about them, who read payloads, and what bots were told and answered.
--
-- A silence that is named by it is deleted. A receipt's source_ref is dropped, and an item_ref, which cannot be missing,
-- is replaced by a random one.
-- Concurrency: locks chats and answers of bots, then cursors, then groups and channels in order.
-- Returns: one row for each kind, with how many rows name the contact; p_dry_run changes none of them.
create or replace function outrider.erase_rows(
  p_workspace_id text,
  p_pattern outrider.contact_pattern,
  p_dry_run boolean
)
  returns table (kind text, rows bigint)
  language plpgsql
  volatile
as $$
#variable_conflict use_column
declare
  v_cursors text[];
  v_groups text[];
  v_channels text[];
  v_receipts bigint[];
  v_items text[];
  v_runs text[];
  v_reads bigint[];
  v_links text[];
  v_alerts uuid[];
  v_notifications uuid[];
  v_silences text[];
  v_bot bigint;
begin
  v_cursors := array(
    select c.source_id from outrider.pull_cursors c
    where c.workspace_id = p_workspace_id
      and outrider.holds_contact(jsonb_build_array(c.cursor_json, c.last_error, c.held_item), p_pattern));
  v_groups := array(
    select g.platform || '/' || g.rate_group from outrider.platform_limits g
    where g.workspace_id = p_workspace_id and outrider.holds_contact(g.last_error, p_pattern));
  v_channels := array(
    select c.channel_id from outrider.channels c
    where c.workspace_id = p_workspace_id and outrider.holds_contact(c.stopped_because, p_pattern));
  v_receipts := array(
    select r.receipt_id from outrider.ingress_receipts r
    where r.workspace_id = p_workspace_id and outrider.erase_text(r.source_ref, p_pattern) <> r.source_ref);
  v_items := array(
    select r.source_id || '/' || r.item_ref from outrider.pull_receipts r
    where r.workspace_id = p_workspace_id and outrider.erase_text(r.item_ref, p_pattern) <> r.item_ref);
  v_runs := array(
    select r.run_id from outrider.ingest_runs r
    where r.workspace_id = p_workspace_id and outrider.holds_contact(r.stats_json, p_pattern));
  v_reads := array(
    select r.read_id from outrider.payload_reads r
    where r.workspace_id = p_workspace_id
      and outrider.holds_contact(jsonb_build_array(r.operator, r.reason), p_pattern));
  v_links := array(
    select l.token_hash from outrider.payload_links l
    where l.workspace_id = p_workspace_id
      and outrider.holds_contact(jsonb_build_array(l.operator, l.reason), p_pattern));
  v_alerts := array(
    select a.alert_id from outrider.alerts a
    where a.workspace_id = p_workspace_id and outrider.holds_contact(
      jsonb_build_array(a.summary, a.detail, a.acknowledged_by, a.acknowledged_because), p_pattern));
  v_notifications := array(
    select n.notification_id from outrider.alert_notifications n
    where n.workspace_id = p_workspace_id
      and outrider.holds_contact(jsonb_build_array(n.subject, n.body, n.changes, n.last_error), p_pattern));
  v_silences := array(
    select s.matches from outrider.alert_silences s
    where s.workspace_id = p_workspace_id
      and outrider.holds_contact(jsonb_build_array(s.matches, s.operator, s.reason), p_pattern));
  v_bot := outrider.erase_bot_rows(p_workspace_id, p_pattern, p_dry_run);
  return query values
    ('cursors', cardinality(v_cursors)::bigint), ('rate_groups', cardinality(v_groups)), ('channels', cardinality(v_channels)),
    ('receipts', cardinality(v_receipts) + cardinality(v_items)), ('runs', cardinality(v_runs)),
    ('payload_reads', cardinality(v_reads) + cardinality(v_links)),
    ('alerts', cardinality(v_alerts) + cardinality(v_notifications) + cardinality(v_silences)),
    ('bot', v_bot);
  if p_dry_run then
    return;
  end if;

  update outrider.pull_cursors c
  set cursor_json = outrider.erase_json(c.cursor_json, p_pattern), last_error = outrider.erase_text(c.last_error, p_pattern),
      held_item = outrider.erase_text(c.held_item, p_pattern)
  where c.workspace_id = p_workspace_id and c.source_id = any (v_cursors);
  perform from outrider.platform_limits g
  where g.workspace_id = p_workspace_id and g.platform || '/' || g.rate_group = any (v_groups)
  order by g.platform, g.rate_group
  for no key update;
  update outrider.platform_limits g set last_error = outrider.erase_json(g.last_error, p_pattern)
  where g.workspace_id = p_workspace_id and g.platform || '/' || g.rate_group = any (v_groups);
  perform from outrider.channels c
  where c.workspace_id = p_workspace_id and c.channel_id = any (v_channels)
  order by c.channel_id
  for no key update;
  update outrider.channels c set stopped_because = outrider.erase_json(c.stopped_because, p_pattern)
  where c.workspace_id = p_workspace_id and c.channel_id = any (v_channels);
  update outrider.ingress_receipts r set source_ref = null
  where r.workspace_id = p_workspace_id and r.receipt_id = any (v_receipts);
  update outrider.pull_receipts r set item_ref = 'erased:' || gen_random_uuid()
  where r.workspace_id = p_workspace_id and r.source_id || '/' || r.item_ref = any (v_items);
  update outrider.ingest_runs r set stats_json = outrider.erase_json(r.stats_json, p_pattern)
  where r.workspace_id = p_workspace_id and r.run_id = any (v_runs);
  update outrider.payload_reads r
  set operator = outrider.erase_text(r.operator, p_pattern), reason = outrider.erase_text(r.reason, p_pattern)
  where r.workspace_id = p_workspace_id and r.read_id = any (v_reads);
  update outrider.payload_links l
  set operator = outrider.erase_text(l.operator, p_pattern), reason = outrider.erase_text(l.reason, p_pattern)
  where l.workspace_id = p_workspace_id and l.token_hash = any (v_links);
  update outrider.alerts a
  set summary = outrider.erase_text(a.summary, p_pattern), detail = outrider.erase_json(a.detail, p_pattern),
      acknowledged_by = outrider.erase_text(a.acknowledged_by, p_pattern),
      acknowledged_because = outrider.erase_text(a.acknowledged_because, p_pattern)
  where a.workspace_id = p_workspace_id and a.alert_id = any (v_alerts);
  update outrider.alert_notifications n
  set subject = outrider.erase_text(n.subject, p_pattern), body = outrider.erase_text(n.body, p_pattern),
      changes = outrider.erase_json(n.changes, p_pattern), last_error = outrider.erase_text(n.last_error, p_pattern)
  where n.workspace_id = p_workspace_id and n.notification_id = any (v_notifications);
  -- What a silence matches is its name: without it the silence means nothing.
  delete from outrider.alert_silences s
  where s.workspace_id = p_workspace_id and s.matches = any (v_silences)
    and outrider.erase_text(s.matches, p_pattern) <> s.matches;
  update outrider.alert_silences s
  set operator = outrider.erase_text(s.operator, p_pattern), reason = outrider.erase_text(s.reason, p_pattern)
  where s.workspace_id = p_workspace_id and s.matches = any (v_silences);
end;
$$;
