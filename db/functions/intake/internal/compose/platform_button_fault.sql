-- Why a platform would refuse the buttons of a post: one of them has a payload, and the platform has no buttons; or it
-- leads to a host without a dot in its name, and the platform takes only hosts with a dot.
--
-- Returns: the first fault in the order of the buttons, or null.
create or replace function outrider.platform_button_fault(p_buttons jsonb, p_platform outrider.platforms)
  returns text
  language plpgsql
  immutable
  parallel safe
as $$
begin
  if p_platform.takes_buttons and not p_platform.dotted_hosts_only then
    return null;
  end if;
  return (
    select case
      when b.button ? 'payload' then format('buttons[%s][%s] has a payload, and %s has no buttons that a bot hears of',
        r.place - 1, b.place - 1, p_platform.title)
      else format('buttons[%s][%s] leads to the host %s, and %s takes only hosts with a dot in their name',
        r.place - 1, b.place - 1, outrider.excerpt(h.host), p_platform.title)
    end
    from jsonb_array_elements(p_buttons) with ordinality as r (buttons, place)
    cross join lateral jsonb_array_elements(r.buttons) with ordinality as b (button, place)
    cross join lateral (
      select substring(b.button ->> 'url' from '^https?://(?:[^/?#@]*@)?(\[[^]]*\]|[^/?#:]*)') as host
    ) h
    where case when p_platform.takes_buttons then h.host !~ '[.[]' else b.button ? 'payload' end
    order by r.place, b.place
    limit 1
  );
end;
$$;
