-- How the thresholds of punycode and unpunycode follow what was encoded last (RFC 3492, 6.1).
create or replace function outrider.punycode_bias(p_delta bigint, p_points integer, p_first boolean)
  returns integer
  language plpgsql
  immutable
  parallel safe
as $$
declare
  v_delta bigint := case when p_first then p_delta / 700 else p_delta / 2 end;
  v_bias integer := 0;
begin
  v_delta := v_delta + v_delta / p_points;
  while v_delta > 455 loop
    v_delta := v_delta / 35;
    v_bias := v_bias + 36;
  end loop;
  return v_bias + (36 * v_delta / (v_delta + 38))::integer;
end;
$$;
