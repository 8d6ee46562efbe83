create or replace function outrider.erase_contact(
  p_workspace_id text,
  p_contact text,
  p_dry_run boolean,
  p_operator text,
  p_reason text,
  p_raw_payloads integer,
  p_now timestamptz default clock_timestamp()
)
  returns table (kind text, rows bigint, details jsonb)
  language plpgsql
  volatile
  security definer
  set search_path = outrider, pg_temp
as $$
#variable_conflict use_column
declare
  v_pattern outrider.contact_pattern;
  v_messages uuid[];
  v_deliveries uuid[];
  v_events jsonb;
  v_counts jsonb;
  v_posts jsonb;
  v_payloads jsonb;
begin
  perform outrider.require_workspace('erase_contact', p_workspace_id);
  perform outrider.require_time('erase_contact', p_now);
  perform outrider.require_flag('erase_contact', 'dry_run', p_dry_run);
  perform outrider.require_operator('erase_contact', p_operator, p_reason);
  perform outrider.require_text('erase_contact', 'contact', p_contact, 200);
  if coalesce(p_raw_payloads, -1) not between 0 and 999999 then
    raise exception using errcode = 'OR001', message = 'erase_contact: raw_payloads must be 0 to 999999';
  end if;
  v_pattern := outrider.contact_pattern(p_contact);
  if v_pattern is null then
    raise exception using errcode = 'OR001',
      message = 'erase_contact: contact is a phone number of 7 to 15 digits, an e-mail address, or an account of 3 to 64 letters, digits, "_", "." or "-"';
  end if;

  -- All rows are found before the first one is locked, so that nobody waits for the search.
  v_messages := array(
    select m.message_id from outrider.messages m
    where m.workspace_id = p_workspace_id
      and outrider.holds_contact(jsonb_build_array(m.payload, m.source, m.source_ref, m.tags, m.first_seen_trace_id), v_pattern));
  v_deliveries := array(
    select d.delivery_id from outrider.deliveries d
    where d.workspace_id = p_workspace_id
      and outrider.holds_contact(
        jsonb_build_array(d.rendered_text, d.render_meta - 'series_progress', d.last_error, d.trace_id), v_pattern));
  select coalesce(jsonb_agg(jsonb_build_array(e.ts, e.id)), '[]') into v_events
  from outrider.event_log e
  where e.workspace_id = p_workspace_id and outrider.holds_contact(jsonb_build_array(e.error, e.meta), v_pattern);
  v_posts := outrider.posts_naming(p_workspace_id, v_deliveries);
  select coalesce(jsonb_agg(jsonb_build_object('payload_ref', r.payload_ref, 'object_url', r.object_url)), '[]') into v_payloads
  from outrider.raw_payloads r
  where r.workspace_id = p_workspace_id and (r.delivery_id = any (v_deliveries) or r.message_id = any (v_messages));

  return query values
    ('messages', cardinality(v_messages)::bigint, null::jsonb),
    ('deliveries', cardinality(v_deliveries), null),
    ('events', jsonb_array_length(v_events), null),
    ('raw_payloads', jsonb_array_length(v_payloads), v_payloads),
    ('posts_in_chats', jsonb_array_length(v_posts), v_posts);
  return query
  select x.kind, count(d.delivery_id), null::jsonb
  from (values ('waiting', '{queued,retry,claimed}'::outrider.delivery_status[]), ('being_sent', '{sending}')) as x (kind, statuses)
  left join outrider.deliveries d
    on d.workspace_id = p_workspace_id and d.delivery_id = any (v_deliveries) and d.status = any (x.statuses)
  group by x.kind;
  select jsonb_object_agg(r.kind, r.rows) into v_counts from outrider.erase_rows(p_workspace_id, v_pattern, p_dry_run) r;
  return query select c.key, c.value::bigint, null::jsonb from jsonb_each_text(v_counts) c;
  if p_dry_run then
    return;
  end if;

  perform from outrider.messages m where m.workspace_id = p_workspace_id and m.message_id = any (v_messages)
  order by m.hash_version, m.content_hash for no key update;
  update outrider.messages m
  set payload = outrider.erase_json(m.payload, v_pattern), source = outrider.erase_json(m.source, v_pattern),
      source_ref = case when outrider.erase_text(m.source_ref, v_pattern) = m.source_ref then m.source_ref end,
      tags = array(select outrider.erase_text(t.tag, v_pattern) from unnest(m.tags) with ordinality as t (tag, n) order by t.n),
      first_seen_trace_id = outrider.erase_text(m.first_seen_trace_id, v_pattern), erased_at = p_now
  where m.workspace_id = p_workspace_id and m.message_id = any (v_messages);
  delete from outrider.message_traces t where t.workspace_id = p_workspace_id and t.message_id = any (v_messages);
  perform from outrider.deliveries d where d.workspace_id = p_workspace_id and d.delivery_id = any (v_deliveries)
  order by d.delivery_id for no key update;
  update outrider.deliveries d
  set rendered_text = outrider.erase_text(d.rendered_text, v_pattern), last_error = outrider.erase_json(d.last_error, v_pattern),
      render_meta = outrider.erase_json(d.render_meta - 'series_progress', v_pattern)
        || jsonb_strip_nulls(jsonb_build_object('series_progress', d.render_meta -> 'series_progress')),
      trace_id = outrider.erase_text(d.trace_id, v_pattern)
  where d.workspace_id = p_workspace_id and d.delivery_id = any (v_deliveries);
  update outrider.event_log e
  set error = outrider.erase_json(e.error, v_pattern), meta = outrider.erase_json(e.meta, v_pattern)
  from jsonb_array_elements(v_events) x
  where e.workspace_id = p_workspace_id and e.ts = (x ->> 0)::timestamptz and e.id = (x ->> 1)::uuid;

  insert into outrider.event_log (workspace_id, id, ts, action, attempt, result, meta)
  values (
    p_workspace_id, gen_random_uuid(), p_now, 'contact_erased', 0, 'ok',
    outrider.mask_json(outrider.erase_json(jsonb_build_object('operator', p_operator, 'reason', p_reason), v_pattern)
      || jsonb_build_object('erased', v_counts || jsonb_build_object(
        'messages', cardinality(v_messages), 'deliveries', cardinality(v_deliveries),
        'events', jsonb_array_length(v_events), 'raw_payloads', p_raw_payloads))));
end;
$$;

comment on function outrider.erase_contact is $doc$Takes a person's contact (a phone number, an e-mail address or an account) out of everything that a workspace keeps: the
word "erased" takes its place. A delivery that waits goes out with that text.

A phone number is found in any spelling, an e-mail address in any case, an account as a whole word. content_hash stays:
it is a hash of the whole post, and repeats are known by it; a repeat that comes later goes out as it came. The traces of
the messages go: they hold hashes of numbers. The event contact_erased has who ordered it, why, and how many rows and raw
payloads there were, and nothing of the contact.
p_dry_run: only counts.
p_raw_payloads: how many raw payloads the caller has removed before, for the record.
Concurrency: looks for everything first; then locks cursors, groups, channels, messages and deliveries, each in order,
for as long as the rows take to write. A delivery that is being sent meanwhile may bring the contact back with an error
of its platform: count `being_sent`, and run it again afterwards.
Returns: one row for each kind of thing, with how many there are. `raw_payloads` are those of the deliveries and messages
found, and `details` lists them: whoever calls this removes the objects before. `posts_in_chats` are those that
already stand in chats, also in part, and those of which nobody knows whether they do, a thousand at most; `details` lists
their channels, the platforms' ids ([] where nobody knows) and sent_at, null for what was not sent whole. `waiting` and
`being_sent` are part of `deliveries`.
Raises: OR001, OR002, OR003.$doc$;

grant execute on function outrider.erase_contact to outrider_service;
