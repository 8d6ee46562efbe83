-- How nearly a new message is the same as an earlier one, from 0 to 1, and by which signs.
--
-- The part of its pairs of words that the earlier message has too (`text`) says how much of it is known already. Alone
-- it is no sign: it needs a phone number in common. It is no sign either when a word or a number was replaced: each of
-- the two has some that the other does not have. Who repeats a post adds words or leaves words out; who replaces one
-- tells of another animal. A post that lacks a third of the earlier one was cut short, and nothing was replaced.
-- An address or a picture in common is enough, unless both have texts of which hardly a pair is the same: pages that
-- many posts link to, and banners that many posts show. Pictures are the same when three of 64 bits differ at most; a
-- picture in which nearly all bits are equal shows nothing.
-- Returns: score 0 and no signs, when nothing says that they are the same.
create or replace function outrider.likeness(
  p_new outrider.message_traces,
  p_earlier outrider.message_traces,
  p_with_pictures boolean,
  out score numeric,
  out signs text[]
)
  language plpgsql
  immutable
  parallel safe
as $$
declare
  v_text numeric := 0.0;
  v_both_have_texts constant boolean := cardinality(p_new.word_pairs) >= 3 and cardinality(p_earlier.word_pairs) >= 3;
  v_added integer; -- words and numbers that only the new one has
  v_missing integer; -- and those that only the earlier one has
  v_apart integer;
begin
  if v_both_have_texts then
    v_text := (
      select count(*)::numeric / cardinality(p_new.word_pairs)
      from (select unnest(p_new.word_pairs) intersect select unnest(p_earlier.word_pairs)) c);
  end if;
  score := 0.0;
  signs := array[]::text[];

  if p_new.phones && p_earlier.phones and v_text >= 0.2 then
    v_added := outrider.count_missing(p_new.words, p_earlier.words) + outrider.count_missing(p_new.numbers, p_earlier.numbers);
    v_missing := outrider.count_missing(p_earlier.words, p_new.words) + outrider.count_missing(p_earlier.numbers, p_new.numbers);
    if v_added = 0 or v_missing = 0 or v_missing * 3 >= cardinality(p_earlier.words) + cardinality(p_earlier.numbers) then
      score := 0.4 + 0.6 * v_text;
      signs := array['phone', 'text'];
    end if;
  end if;
  if p_new.urls && p_earlier.urls and (v_text >= 0.2 or not v_both_have_texts) then
    score := greatest(score, 0.9 + 0.1 * v_text);
    signs := signs || 'url'::text;
  end if;
  if p_with_pictures and (v_text >= 0.2 or not v_both_have_texts or p_new.phones && p_earlier.phones) then
    select min(bit_count((n.hash # e.hash)::bit(64)))::integer into v_apart
    from unnest(p_new.pictures) as n (hash)
    cross join unnest(p_earlier.pictures) as e (hash)
    where bit_count(n.hash::bit(64)) between 6 and 58;
    if v_apart <= 3 then
      score := greatest(score, 1 - 0.03 * v_apart);
      signs := signs || 'picture'::text;
    end if;
  end if;
  score := round(score, 2);
end;
$$;
