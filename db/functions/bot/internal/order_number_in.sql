-- The number of an order in what somebody wrote: three to ten digits, perhaps after one to four letters (АБ-12345) and before
-- a part (104233/2); null when there is none.
--
-- Phones, bank cards, dates, years, and sums of money are no order numbers. Digits in threes (104 233) are one number.
create or replace function outrider.order_number_in(p_text text)
  returns text
  language plpgsql
  immutable
  parallel safe
as $$
declare
  v_text text := outrider.mask_bot_text(p_text);
  v_spaced text;
begin
  -- dates: 12.05.2024, 2024-05-12, 05.2024, 12 мая 2024
  v_text := regexp_replace(v_text,
    '(^|[^0-9])(?:\d{1,2}([./-])\d{1,2}\2(?:\d{4}|\d{2})|\d{4}-\d{2}-\d{2}|\d{1,2}\.\d{4})(?!\d)', '\1', 'g');
  v_text := regexp_replace(v_text,
    '(^|[^0-9])(?:\d{1,2} )?(?:[Яя]нвар|[Фф]еврал|[Мм]арт|[Аа]прел|[Мм]а[йяе]|[Ии]юн|[Ии]юл|[Аа]вгуст|[Сс]ентябр|[Оо]ктябр|[Нн]оябр|[Дд]екабр)[а-я]* (?:19|20)\d{2}(?!\d)',
    '\1', 'g');
  -- years: "в 2023", "2023 году"
  v_text := regexp_replace(v_text,
    '(^|[^0-9A-Za-zА-яЁё])(?:[Вв]|[Сс]|[Дд]о|[Оо]т|[Зз]а|[Кк]|[Пп]о|[Лл]етом|[Зз]имой|[Вв]есной|[Оо]сенью) (?:19|20)\d{2}(?![0-9A-Za-zА-яЁё/-])', '\1', 'g');
  v_text := regexp_replace(v_text, '(^|[^0-9])(?:19|20)\d{2}(?: ?-?(?:х|е|й|м|го))? ?(?:[Гг]од[а-я]*|[Гг](?![0-9A-Za-zА-яЁё]))', '\1', 'g');
  -- sums of money
  v_text := regexp_replace(v_text, '(^|[^0-9])\d{1,3}(?:[ .,]?\d{3})*(?:[.,]\d{1,2})? ?(?:[Рр]уб[а-я]*|₽|[Рр](?![0-9A-Za-zА-яЁё])|[Тт]ыс[а-я]*)', '\1', 'g');
  -- "заказ104233"
  v_text := regexp_replace(v_text, '([Зз][Аа][Кк][Аа][Зз][а-я]*|[Зз]ак|[Нн][Оо][Мм][Ее][Рр][а-я]*|[Oo]rder|[Zz]akaz|[Nn]omer)(?=\d)', '\1 ', 'g');
  v_spaced := (regexp_match(v_text, '(?:^|[^0-9A-Za-zА-яЁё-])(\d{1,3}(?: \d{3}){1,2})(?! ?[0-9A-Za-z])'))[1];
  if v_spaced is not null then
    v_text := replace(v_text, v_spaced, replace(v_spaced, ' ', ''));
  end if;
  return (regexp_match(v_text,
    '(?:^|[^0-9A-Za-zА-яЁё-])((?:[A-Za-zА-яЁё]{1,4}-?)?\d{3,10}(?:[-/]\d{1,6})?)(?![0-9A-Za-zА-яЁё])'))[1];
end;
$$;
