-- The byte of a composed post's text at which is the fault of its markup that it was refused for. Null when it was
-- refused for something else.
--
-- The text is read once more, in each dialect that it may have been read in. The reading that finds the same fault is
-- the right one.
create or replace function outrider.markup_fault_at(p_post outrider.composed_post, p_dialects jsonb)
  returns integer
  language plpgsql
  immutable
as $$
begin
  if coalesce(p_post.fault !~ '^the text is not valid ', true) then
    return null;
  end if;
  return (
    select coalesce(substring(r.fault from 'at byte offset ([0-9]+)')::integer, r.fault_at)
    from (
      select d.dialect from jsonb_each_text(p_dialects) as d (format, dialect)
      union
      values ('telegram_html'), ('telegram_markdown') -- posts for platforms that read no markup
    ) d
    cross join lateral outrider.read_markup(p_post.rendered_text, d.dialect) r
    where right(p_post.fault, length(r.fault) + 2) = ': ' || r.fault
    limit 1
  );
end;
$$;
