-- Whether a text has a keyword of the mode contains in it: anywhere, also inside a word. A keyword of several words begins with a
-- word of the text: "не работ" stands in "не работает", and not in "в магазине работаете".
--
-- p_plain: the text as read_bot_text reads it, with a blank around each word. p_keyword: the same without the blanks around it.
create or replace function outrider.has_bot_keyword(p_plain text, p_keyword text)
  returns boolean
  language sql
  immutable
  parallel safe
return strpos(p_plain, case when strpos(p_keyword, ' ') > 0 then ' ' || p_keyword else p_keyword end) > 0;
