-- Whether a word of a text is that of a keyword: in any form, and with five letters or more it may have one typing error.
create or replace function outrider.fits_bot_word(p_word text, p_stem text, p_keyword text, p_keyword_stem text)
  returns boolean
  language sql
  immutable
  parallel safe
return p_stem = p_keyword_stem
  or (length(p_keyword) >= 5 and (
    case when length(p_word) - length(p_keyword) between -1 and 1 then outrider.is_one_edit_apart(p_word, p_keyword) else false end
    or case
      when length(p_keyword_stem) >= 4 and length(p_stem) - length(p_keyword_stem) between -1 and 1
        and (p_stem <> p_word or p_keyword_stem <> p_keyword)
        then outrider.is_one_edit_apart(p_stem, p_keyword_stem)
      else false
    end));
