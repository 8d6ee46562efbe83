-- The text whose length a platform counts: with its markup, or as it keeps it (kept_text).
--
-- p_sent: the text with its markup. p_visible and p_first_entity: as read_markup returns them.
create or replace function outrider.counted_text(
  p_sent text,
  p_visible text,
  p_first_entity integer,
  p_platform outrider.platforms
)
  returns text
  language sql
  immutable
  parallel safe
return case when (p_platform).counts_markup then p_sent
    else outrider.kept_text(p_visible, p_first_entity, (p_platform).drops) end;
