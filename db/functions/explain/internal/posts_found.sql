-- The messages of a workspace that p_search means, those that fit best first.
--
-- p_search is tried as the id of a message or a delivery, as a source_ref, and as the name of an item of a pull source.
-- A second push of a known content under another source_ref is known by its receipt: both have the time of the push.
-- Then it is tried as a part of an id (find_deliveries, find_messages) and as the exact text of a post. All of this goes by
-- indexes. Last, unless it was a whole id or a name, as a part of the title and the text of the newest messages; there
-- line breaks are blanks, and markup is none, because people copy words from a chat. When no message has such a part, and
-- several words are looked for: those that have words which begin with each of them, in any order.
-- Returns: `delivery_id` when p_search names one.
create or replace function outrider.posts_found(p_workspace_id text, p_search text, p_limit integer)
  returns table (message_id uuid, delivery_id uuid, place bigint)
  language plpgsql
  stable
as $$
#variable_conflict use_column
declare
  v_post constant jsonb := jsonb_build_object('text', p_search);
  v_part constant text := outrider.in_one_line(outrider.normal_text(p_search));
  -- The search may have been copied from the post as it was handed in.
  v_of_html constant text := nullif(outrider.without_markup(v_part, 'HTML'), '');
  v_of_markdown constant text := nullif(outrider.without_markup(v_part, 'Markdown'), '');
  v_words constant text[] := array(
    select w from string_to_table(v_part, ' ') s cross join lateral outrider.without_punctuation(s) w where w <> ' ');
  v_letters constant text[] := array(select ltrim(w) from unnest(v_words) w where position(' ' in ltrim(w)) = 0);
  v_id constant uuid := outrider.whole_id(p_search);
  v_digits constant text := replace(p_search, '-', '');
  v_found outrider.found_post[] := array[]::outrider.found_post[];
begin
  if v_id is not null then
    v_found := array(
      select row(d.message_id, d.delivery_id, 1, d.created_at)::outrider.found_post
      from (select x.* from outrider.deliveries x where x.delivery_id = v_id offset 0) d -- by the id alone, see next_steps
      where d.workspace_id = p_workspace_id)
    || array(
      select row(m.message_id, null, 1, m.created_at)::outrider.found_post
      from (select x.* from outrider.messages x where x.message_id = v_id offset 0) m
      where m.workspace_id = p_workspace_id);
  end if;
  v_found := v_found || array(
    select row(m.message_id, null, 2, m.created_at)::outrider.found_post from outrider.messages m
    where m.source_ref = p_search and m.workspace_id = p_workspace_id
    order by m.created_at desc
    limit p_limit)
  || array(
    select row(r.message_id, null, 2, r.received_at)::outrider.found_post
    from outrider.pull_sources s
    join outrider.pull_receipts r on r.workspace_id = s.workspace_id and r.source_id = s.source_id and r.item_ref = p_search
    where s.workspace_id = p_workspace_id and r.message_id is not null);
  if cardinality(v_found) = 0 then
    v_found := array(
      select row(l.message_id, null, 2, r.received_at)::outrider.found_post
      from outrider.workspace_endpoints e
      join outrider.ingress_receipts r
        on r.workspace_id = e.workspace_id and r.endpoint_id = e.endpoint_id and r.source_ref = p_search
      cross join lateral (
        select x.message_id from outrider.event_log x
        where x.workspace_id = p_workspace_id and x.ts = r.received_at and x.message_id is not null
        limit 1
      ) l
      where e.workspace_id = p_workspace_id);
  end if;
  if v_id is null and cardinality(v_found) = 0 and v_digits ~* '^[0-9a-f]{4,32}$' and v_digits ~ '[0-9]' then
    v_found := array(
      select row(d.message_id, d.delivery_id, 3, d.created_at)::outrider.found_post
      from outrider.find_deliveries(p_workspace_id, p_search) f
      cross join lateral (select x.* from outrider.deliveries x where x.delivery_id = f.delivery_id offset 0) d)
    || array(
      select row(m.message_id, null, 3, m.created_at)::outrider.found_post
      from outrider.find_messages(p_workspace_id, p_search) m);
  end if;
  if outrider.payload_fault(v_post) is null then
    v_found := v_found || array(
      select row(m.message_id, null, 3, m.created_at)::outrider.found_post from outrider.messages m
      where m.workspace_id = p_workspace_id and m.hash_version = outrider.hash_version()
        and m.content_hash = outrider.content_hash(outrider.normalize_payload(v_post)));
  end if;
  if v_part <> '' and not exists (select from unnest(v_found) f where f.fits < 3) then
    v_found := v_found || array(
      select row(m.message_id, null, 4, m.created_at)::outrider.found_post
      from outrider.newest_lines(p_workspace_id, string_to_array(v_part, ' ')) m
      where position(
        case m.parse_mode when 'HTML' then v_of_html when 'Markdown' then v_of_markdown else v_part end in m.line) > 0
      limit p_limit);
  end if;
  if cardinality(v_found) = 0 and cardinality(v_words) > 1 then
    v_found := array(
      select row(m.message_id, null, 5, m.created_at)::outrider.found_post
      from (select x.* from outrider.newest_lines(p_workspace_id, v_letters) x offset 0) m
      -- A line is read as words only if it has the letters of each, because that takes several times longer.
      cross join lateral (
        select outrider.without_punctuation(m.line) as words
        where not exists (select from unnest(v_letters) w where position(w in m.line) = 0)
        offset 0
      ) l
      where not exists (select from unnest(v_words) w where position(w in l.words) = 0)
      limit p_limit);
  end if;

  return query
  select u.message_id, u.delivery_id, row_number() over (order by u.fits, u.at desc, u.message_id)
  from (
    select distinct on (f.message_id) f.message_id, f.delivery_id, f.fits, f.at
    from unnest(v_found) f
    order by f.message_id, f.fits, f.delivery_id nulls last
  ) u
  order by 3
  limit p_limit;
end;
$$;
