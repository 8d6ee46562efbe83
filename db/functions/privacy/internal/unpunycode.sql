-- A label of a domain as people read it: the opposite of punycode. What is no punycode stays as it is.
create or replace function outrider.unpunycode(p_label text)
  returns text
  language plpgsql
  immutable
  parallel safe
as $$
declare
  v_encoded constant text := lower(substr(p_label, 5));
  v_split constant integer := coalesce(length(substring(v_encoded from '^(.*)-')), 0);
  v_decoded text := left(v_encoded, v_split);
  v_place integer := v_split + case when v_split > 0 then 1 else 0 end;
  v_code integer := 128;
  v_index bigint := bigint '0';
  v_before bigint;
  v_weight bigint;
  v_digit integer;
  v_threshold integer;
  v_bias integer := 72;
begin
  if p_label !~* '^xn--[a-z0-9-]{1,59}$' then
    return p_label;
  end if;
  while v_place < length(v_encoded) loop
    v_before := v_index;
    v_weight := bigint '1';
    for v_round in 1..20 loop
      v_place := v_place + 1;
      v_digit := strpos('abcdefghijklmnopqrstuvwxyz0123456789', substr(v_encoded, v_place, 1)) - 1;
      if v_place > length(v_encoded) or v_digit < 0 or v_weight > 2000000000 then
        return p_label;
      end if;
      v_index := v_index + v_digit * v_weight;
      v_threshold := least(greatest(v_round * 36 - v_bias, 1), 26);
      exit when v_digit < v_threshold;
      v_weight := v_weight * (36 - v_threshold);
    end loop;
    v_bias := outrider.punycode_bias(v_index - v_before, length(v_decoded) + 1, v_before = 0);
    v_code := least(v_code + v_index / (length(v_decoded) + 1), 1114112)::integer;
    if v_code > 1114111 or v_code between 55296 and 57343 then
      return p_label;
    end if;
    v_index := v_index % (length(v_decoded) + 1);
    v_decoded := left(v_decoded, v_index::integer) || chr(v_code) || substr(v_decoded, v_index::integer + 1);
    v_index := v_index + 1;
  end loop;
  return v_decoded;
end;
$$;
