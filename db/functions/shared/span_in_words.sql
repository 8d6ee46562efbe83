-- How long something takes, in words, rounded down to what a person wants to know: 40 s, 12 min, 3 h, 2 days.
create or replace function outrider.span_in_words(p_span interval)
  returns text
  language sql
  immutable
  parallel safe
return (
    select case
      when x.seconds < 120 then x.seconds || ' s'
      when x.seconds < 7200 then x.seconds / 60 || ' min'
      when x.seconds < 172800 then x.seconds / 3600 || ' h'
      else x.seconds / 86400 || ' days'
    end
    from (select greatest(0, floor(extract(epoch from p_span)))::bigint as seconds) x
  );
