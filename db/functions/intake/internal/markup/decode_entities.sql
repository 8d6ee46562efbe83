-- Replaces the entities of HTML with their characters in each of several texts, as Telegram does: &lt; &gt;
-- &amp; &quot; and the numeric ones, decimal with up to 7 digits and hexadecimal with up to 6. The semicolon may
-- be missing; anything else stays as it is. With p_more also &nbsp; &apos; and &#X…;.
--
-- It takes many texts in one call, because a call costs more than a text, and a post has a text between any two tags.
-- Returns: the texts. Half of a surrogate pair, which no text can hold, becomes U+FFFD.
create or replace function outrider.decode_entities(p_texts text[], p_more boolean default false)
  returns text[]
  language plpgsql
  immutable
  parallel safe
as $$
begin
  return array(
    select case when strpos(t.words, '&') = 0 then t.words else (
      select string_agg(
        case
          when p.place = 1 then p.part
          when c.character is null then '&' || p.part
          when substr(p.part, length(e.name) + 1, 1) = ';' then c.character || substr(p.part, length(e.name) + 2)
          else c.character || substr(p.part, length(e.name) + 1)
        end, '' order by p.place)
      from string_to_table(t.words, '&') with ordinality as p (part, place)
      cross join lateral (
        select substring(p.part from '^(?:[A-Za-z]+|#[0-9]+|#[xX][0-9A-Fa-f]+)') as name
        offset 0 -- otherwise it would be searched for at every mention below
      ) e
      cross join lateral (
        select case
          when not starts_with(e.name, '#') or length(e.name) > 8 then null
          when substr(e.name, 2, 1) = 'x' or p_more and substr(e.name, 2, 1) = 'X' then
            ('x' || lpad(substr(e.name, 3), 8, '0'))::bit(32)::integer
          when substr(e.name, 2, 1) <> 'X' then substr(e.name, 2)::integer
        end as code
        offset 0
      ) n
      cross join lateral (
        select case
          when e.name = 'lt' then '<'
          when e.name = 'gt' then '>'
          when e.name = 'amp' then '&'
          when e.name = 'quot' then '"'
          when e.name = 'nbsp' and p_more then chr(160)
          when e.name = 'apos' and p_more then ''''
          when n.code between 55296 and 57343 then chr(65533)
          when n.code between 1 and 1114110 then chr(n.code)
        end as character
        offset 0
      ) c
    ) end
    from unnest(p_texts) with ordinality as t (words, place)
    order by t.place
  );
end;
$$;
