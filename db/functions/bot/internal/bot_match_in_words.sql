-- Why a rule matches, for people: what of its pattern was found.
create or replace function outrider.bot_match_in_words(p_match outrider.bot_match)
  returns text
  language sql
  immutable
as $$
  select format('rule %s%s%s', outrider.excerpt((p_match.rule).rule_id),
    coalesce(' of state ' || (p_match.rule).from_state, ''),
    case
      when p_match.found <> '{}' then format(' found %s (mode %s, priority %s)',
        outrider.some_names(array(select outrider.excerpt(f.word) from unnest(p_match.found) as f (word)), 5),
        coalesce((p_match.rule).pattern ->> 'mode', 'contains'), (p_match.rule).priority)
      when p_match.is_valid then ' takes free input'
      else format(' wants another input (%s)', (p_match.rule).pattern ->> 'validate')
    end);
$$;
