-- The tags by which a rule of a channel's filter keeps a message out: those of which it wants one (include_any), those
-- that the message lacks (include_all), or those of the message that it does not want (exclude). Null for other rules.
create or replace function outrider.tags_of_rule(p_rule text, p_tags text[], p_filter jsonb)
  returns text[]
  language sql
  stable
  parallel safe
return case when p_rule in ('include_any', 'include_all', 'exclude') then array(
    select t.tag
    from jsonb_array_elements_text(p_filter -> p_rule) with ordinality as t (tag, place)
    where case p_rule
      when 'include_any' then true
      when 'include_all' then t.tag <> all (coalesce(p_tags, '{}'))
      else t.tag = any (coalesce(p_tags, '{}'))
    end
    order by t.place
  ) end;
