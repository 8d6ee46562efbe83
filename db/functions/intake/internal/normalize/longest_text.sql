-- How many characters a text may have, markup and all, to be looked at: several times what any platform takes.
create or replace function outrider.longest_text()
  returns integer
  language sql
  immutable
  parallel safe
return 65536;
