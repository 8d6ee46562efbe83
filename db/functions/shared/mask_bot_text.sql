-- Masks what people write to bots: all that mask_text masks, and also bank cards (16 to 19 digits, in fours or in one) and phone
-- numbers as people write them to each other, without 7 or 8 (916 123-45-67). Digits of full width become the usual ones.
--
-- Numbers of orders stay: up to ten digits that do not have the form of such a phone number.
create or replace function outrider.mask_bot_text(p_text text)
  returns text
  language sql
  immutable
  parallel safe
return regexp_replace(
    outrider.mask_text(regexp_replace(translate(p_text, '０１２３４５６７８９', '0123456789'),
      '(^|[^0-9])\d{4}([\s\u00A0\u00AD\u00B7\u2000-\u2015\u2022\u202A-\u202F\u2060-\u2069\u2212\uFEFF.-]?)\d{4}\2\d{4}\2\d{4}(?:\2\d{1,3})?(?!\d)', '\1[card]', 'g')),
    '(^|[^0-9])\(?9\d{2}\)?[\s\u00A0\u00AD\u00B7\u2000-\u2015\u2022\u202A-\u202F\u2060-\u2069\u2212\uFEFF().-]{0,3}\d{3}[\s\u00A0\u00AD\u00B7\u2000-\u2015\u2022\u202A-\u202F\u2060-\u2069\u2212\uFEFF.-]{0,3}\d{2}[\s\u00A0\u00AD\u00B7\u2000-\u2015\u2022\u202A-\u202F\u2060-\u2069\u2212\uFEFF.-]{0,3}\d{2}(?!\d)',
    '\1[phone]', 'g');
