-- A label of a domain as the wire has it (RFC 3492): xn-- and ASCII. A label that is ASCII already stays as it is.
create or replace function outrider.punycode(p_label text)
  returns text
  language plpgsql
  immutable
  parallel safe
as $$
declare
  v_digits constant text := 'abcdefghijklmnopqrstuvwxyz0123456789';
  v_codes constant integer[] := array(
    select ascii(c.letter) from unnest(string_to_array(p_label, null)) with ordinality as c (letter, place) order by c.place);
  v_encoded text := regexp_replace(p_label, '[^\u0001-\u007F]', '', 'g');
  v_basic constant integer := length(v_encoded);
  v_done integer := v_basic;
  v_next integer := 128;
  v_least integer;
  v_delta bigint := bigint '0';
  v_bias integer := 72;
  v_code integer;
  v_rest bigint;
  v_threshold integer;
begin
  if v_basic = cardinality(v_codes) then
    return p_label;
  end if;
  if v_basic > 0 then
    v_encoded := v_encoded || '-';
  end if;
  while v_done < cardinality(v_codes) loop
    select min(c.code) into v_least from unnest(v_codes) as c (code) where c.code >= v_next;
    v_delta := v_delta + (v_least - v_next)::bigint * (v_done + 1);
    v_next := v_least;
    foreach v_code in array v_codes loop
      if v_code < v_next then
        v_delta := v_delta + 1;
      elsif v_code = v_next then
        v_rest := v_delta;
        for v_round in 1..20 loop
          v_threshold := least(greatest(v_round * 36 - v_bias, 1), 26);
          exit when v_rest < v_threshold;
          v_encoded := v_encoded || substr(v_digits, (v_threshold + (v_rest - v_threshold) % (36 - v_threshold))::integer + 1, 1);
          v_rest := (v_rest - v_threshold) / (36 - v_threshold);
        end loop;
        v_encoded := v_encoded || substr(v_digits, v_rest::integer + 1, 1);
        v_bias := outrider.punycode_bias(v_delta, v_done + 1, v_done = v_basic);
        v_delta := bigint '0';
        v_done := v_done + 1;
      end if;
    end loop;
    v_delta := v_delta + 1;
    v_next := v_next + 1;
  end loop;
  return 'xn--' || v_encoded;
end;
$$;
