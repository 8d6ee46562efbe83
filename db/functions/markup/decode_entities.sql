-- Puts characters in the place of HTML's entities, as Telegram does it: &lt; &gt; &amp; &quot; and the
-- numeric ones, decimal of up to 7 digits and hexadecimal of up to 6. The semicolon may be missing; what
-- is none of them stays as it is. With p_more also &nbsp; &apos; and &#X…;.
--
-- Returns: the text. Half of a surrogate pair, which no text can hold, becomes U+FFFD.
create or replace function outrider.decode_entities(p_text text, p_more boolean default false)
  returns text
  language plpgsql
  immutable
  parallel safe
  set search_path = outrider, pg_temp
as $$
declare
  v_text text;
begin
  if p_text is null or strpos(p_text, '&') = 0 then
    return p_text;
  end if;
  -- As escape_markup writes them. &amp; is last: what it gives is not read again.
  if p_text !~ '&(?:#|(?:lt|gt|amp|quot|nbsp|apos)(?:[^A-Za-z;]|$))' then
    v_text := replace(replace(replace(p_text, '&lt;', '<'), '&gt;', '>'), '&quot;', '"');
    if p_more then
      v_text := replace(replace(v_text, '&nbsp;', chr(160)), '&apos;', '''');
    end if;
    return replace(v_text, '&amp;', '&');
  end if;
  return (
    select string_agg(coalesce(m.parts[1], m.parts[2] || coalesce(
      case
        when e.entity = '&lt' then '<'
        when e.entity = '&gt' then '>'
        when e.entity = '&amp' then '&'
        when e.entity = '&quot' then '"'
        when e.entity = '&nbsp' and p_more then chr(160)
        when e.entity = '&apos' and p_more then ''''
        when e.code between 55296 and 57343 then chr(65533)
        when e.code between 1 and 1114110 then chr(e.code)
      end, e.entity || m.parts[4])), '' order by m.place)
    from regexp_matches(p_text, '([^&]+)|(&*)(&(?:[A-Za-z]+|#[0-9]+|#[xX][0-9A-Fa-f]+)?)(;?)', 'g') with ordinality as m (parts, place)
    cross join lateral (
      select m.parts[3] as entity, case
        when m.parts[3] ~ '^&#[0-9]{1,7}$' then substr(m.parts[3], 3)::integer
        when m.parts[3] ~ '^&#x[0-9A-Fa-f]{1,6}$' or p_more and m.parts[3] ~ '^&#X[0-9A-Fa-f]{1,6}$' then
          ('x' || lpad(substr(m.parts[3], 4), 8, '0'))::bit(32)::integer
      end as code
    ) e
  );
end;
$$;
