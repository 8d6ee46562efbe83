-- How many characters a text may have, with its markup, to be read at all: several times what any platform takes.
create or replace function outrider.longest_text()
  returns integer
  language sql
  immutable
  parallel safe
return 65536;
