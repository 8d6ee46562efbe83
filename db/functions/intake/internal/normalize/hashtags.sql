-- The hashtags of a normalised text, in order of appearance, in lower case and without their sign.
--
-- A hashtag is # followed by letters, digits, marks or underscores of any script, but not by digits alone. It does not
-- follow a word, an & (an entity of HTML) or a slash, and does not stand inside an http(s) address. The characters
-- that are not part of a word are listed, because \w depends on the locale of the database and knows no marks.
create or replace function outrider.hashtags(p_text text)
  returns text[]
  language plpgsql
  immutable
  parallel safe
as $$
declare
  -- Punctuation, symbols, blanks, emoji and their joiners. U+200C stays: it belongs to the spelling of Persian words.
  v_apart constant text := ':-@[-^`{-\u00a9\u00ab-\u00b4\u00b6-\u00b9\u00bb-\u00bf\u00d7\u00f7\u02c2-\u02c5\u02d2-\u02df\u0375\u037e\u0387\u0482'
    '\u055a-\u055f\u0589-\u058f\u05be\u05c0\u05c3\u05c6\u05f3-\u060f\u061b-\u061f\u066a-\u066d\u06d4\u06dd\u06de\u06e9\u0700-\u070f\u0964\u0965\u0970'
    '\u0df4\u0e3f\u0e4f\u0e5a\u0e5b\u0f01-\u0f17\u0f3a-\u0f3d\u104a-\u104f\u10fb\u1360-\u1368\u1400\u166d\u166e\u1680\u17d4-\u17d6\u17d8-\u17db\u1800-\u180a\u180e'
    '\u2000-\u200b\u200d-\u2070\u2074-\u207e\u2080-\u208e\u20a0-\u2bff\u2e00-\u3004\u3008-\u3020\u3030\u303d-\u303f\u30a0\u30fb\u3190-\u319f\u31c0-\u31ef\u3200-\u33ff\u4dc0-\u4dff'
    '\ua673\ua67e\ua720\ua721\ua789\ua78a\ud800-\uf8ff\ufd3e\ufd3f\ufdfc\ufe00-\ufe19\ufe30-\ufe6b\ufeff-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65\uffe0-\uffff'
    '\U0001d000-\U0001d3ff\U0001f000-\U0001fbef\U000e0000-\U0010ffff';
begin
  if p_text is null or strpos(p_text, '#') = 0 then
    return '{}'::text[];
  end if;
  return array(
    select outrider.composed_text(outrider.lower_case(m.match[1]))
    from regexp_matches(
      regexp_replace(p_text, '[Hh][Tt][Tt][Pp][Ss]?://[^ \n"<>]+', ' ', 'g'),
      '(?:^|[\x01-%''-.' || v_apart || '])#([^\x01-/' || v_apart || ']+)',
      'g'
    ) with ordinality as m (match, place)
    where m.match[1] !~ '^[0-9\u0660-\u0669\u06f0-\u06f9\u0966-\u096f\uff10-\uff19]+$'
    order by m.place
  );
end;
$$;
