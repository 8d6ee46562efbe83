-- Reads a text as rules are matched with it: in lower case, ё as е, without punctuation and marks that nobody sees. A
-- Latin letter in a word with Cyrillic ones is taken for the Cyrillic letter that looks like it. A letter that is stretched
-- ("гдеее") counts once, but in a word of that letter alone ("ООО").
--
-- Only the first 2000 characters are read, and of them 200 words.
create or replace function outrider.read_bot_text(p_text text)
  returns outrider.bot_text
  language plpgsql
  immutable
  parallel safe
as $$
declare
  v_latin constant text := 'ABCEHKMOPTXYaceopxykmt';
  v_cyrillic constant text := 'АВСЕНКМОРТХУасеорхукмт';
  v_capitals constant text := 'АБВГДЕЁЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯё';
  v_smalls constant text := 'абвгдеежзийклмнопрстуфхцчшщъыьэюяе';
  v_text text := left(coalesce(p_text, ''), 2000);
  v_read outrider.bot_text;
begin
  v_text := regexp_replace(v_text, '[\u00ad\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufe00-\ufe0f\ufeff\U000E0000-\U000E007F]+', '', 'g');
  v_text := regexp_replace(outrider.composed_text(v_text), '[\u0300-\u036f]+', '', 'g');
  select coalesce(array_agg(left(case when x.word ~ '^(.)\1*$' then x.word
    else regexp_replace(x.word, '([^0-9])\1{2,}', '\1', 'g') end, 64) order by x.place), '{}') into v_read.words
  from (
    select w.place, translate(
      outrider.lower_case(case
        when w.word ~ '[А-яЁё]' and w.word ~ '[A-Za-z]' then translate(w.word, v_latin, v_cyrillic)
        else w.word
      end), v_capitals, v_smalls) as word
    from regexp_split_to_table(v_text, '[^0-9A-Za-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f\u0370-\u1fff\u3040-\ud7ff]+')
      with ordinality as w (word, place)
    where w.word <> ''
    order by w.place
    limit 200
  ) x;
  select coalesce(array_agg(outrider.bot_stem(w.word) order by w.place), '{}') into v_read.stems
  from unnest(v_read.words) with ordinality as w (word, place);
  v_read.plain := ' ' || array_to_string(v_read.words, ' ') || ' ';
  v_read.stemmed := ' ' || array_to_string(v_read.stems, ' ') || ' ';
  return v_read;
end;
$$;
