-- Finds the channels in which a message would be nearly the same as one that they have: it is in flight there, or was
-- sent, and no longer ago than the channel looks back. Only channels that ask for it (settings.similar) are looked at.
--
-- The settings: within_hours (72), score (0.8), pictures (false), and same, the names of fields in which the two must not
-- differ. Of messages with something in common the latest 30 are compared.
-- p_trace: that of the message. p_hours: how far back traces are read (similar_hours).
-- Returns: the channels in their order. Where the message would be suppressed, `twin` is the delivery that it is nearly
-- the same as, `until` the end of the time that the channel looks back, and `score` and `signs` say how nearly and why.
create or replace function outrider.find_similar(
  p_message outrider.messages,
  p_channels outrider.judged_channel[],
  p_profiles outrider.profile[],
  p_trace outrider.message_traces,
  p_hours integer,
  p_now timestamptz
)
  returns outrider.judged_channel[]
  language plpgsql
  stable
as $$
declare
  c_score constant numeric := 0.8;
  v_channels outrider.judged_channel[];
begin
  with earlier as materialized (
    select t as trace, t.message_id
    from outrider.message_traces t
    where t.keys && p_trace.keys and t.workspace_id = p_message.workspace_id and t.message_id <> p_message.message_id
      and t.noted_at >= p_now - make_interval(hours => p_hours)
    order by t.noted_at desc
    limit 30
  ),
  compared as materialized (
    select e.message_id, f.with_pictures, l.score, l.signs, m.payload -> 'fields' as fields
    from earlier e
    cross join (values (false), (true)) as f (with_pictures)
    cross join lateral outrider.likeness(p_trace, e.trace, f.with_pictures) l
    join outrider.messages m on m.workspace_id = p_message.workspace_id and m.message_id = e.message_id
    where l.score >= 0.5
  )
  select array_agg(
    row(
      u.channel_id, u.rule, coalesce(u.twin, s.delivery_id), coalesce(u.twin_status, s.status), coalesce(u.until, s.until),
      u.occurrence, u.profile, u.not_before, s.score, s.signs
    )::outrider.judged_channel order by u.n)
  into v_channels
  from unnest(p_channels) with ordinality
    as u (channel_id, rule, twin, twin_status, until, occurrence, profile, not_before, score, signs, n)
  left join lateral (
    select d.delivery_id, d.status, d.created_at + w.span as until, c.score, c.signs
    from (select ((p_profiles[u.profile]).channel).settings -> 'similar' as wanted) x
    cross join lateral (
      select make_interval(hours => coalesce((x.wanted ->> 'within_hours')::integer, 72)) as span
    ) w
    join compared c
      on c.with_pictures = coalesce((x.wanted ->> 'pictures')::boolean, false)
      and c.score >= coalesce((x.wanted ->> 'score')::numeric, c_score)
    join outrider.deliveries d
      on d.workspace_id = p_message.workspace_id and d.message_id = c.message_id and d.channel_id = u.channel_id
    where u.rule is null and u.twin is null and x.wanted is not null
      and d.occurrence is not null and d.status in ('queued', 'claimed', 'sending', 'retry', 'sent')
      and d.created_at >= p_now - w.span
      and not exists (
        select from jsonb_array_elements_text(x.wanted -> 'same') as f (name)
        where p_message.payload #>> array['fields', f.name] <> c.fields ->> f.name
      )
    order by c.score desc, d.created_at desc
    limit 1
  ) s on true;
  return v_channels;
end;
$$;
