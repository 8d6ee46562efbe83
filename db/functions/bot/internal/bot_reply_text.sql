-- The text of a reply: a template with the values that were collected, as plain text, and no longer than the platform
-- takes. Values are never read as templates.
--
-- p_provider: null: the shortest of what platforms take.
-- Returns: null when there is nothing to show.
create or replace function outrider.bot_reply_text(p_template text, p_context jsonb, p_input jsonb, p_provider text)
  returns text
  language sql
  stable
as $$
  select case when outrider.shows_nothing(c.text) then null else c.text end
  from (
    select case
      when outrider.text_length(r.text, 'utf16') <= m.text_max then r.text
      -- A character beyond the basic plane counts twice.
      else left(r.text, case when r.text ~ '[\U00010000-\U0010FFFF]' then m.text_max / 2 else m.text_max end)
    end as text
    from (
      select outrider.render_template(
        p_template,
        jsonb_build_object('name', coalesce(left(p_input #>> '{sender,name}', 100), '')) || coalesce(p_context -> 'values', '{}'),
        left(p_input ->> 'text', 500), null) as text
    ) r
    cross join (
      select coalesce(min(p.text_max), 4000) as text_max from outrider.platforms p
      where p.platform = p_provider or (p_provider is null and p.takes_buttons)
    ) m
  ) c;
$$;
