-- The pace in what platforms count: calls, and on Telegram messages. A rate that nobody has configured is the
-- platform's, which leaves room below the platform's own limit.

alter table outrider.platforms
  add column counts_album_items boolean not null default false,
  drop column repeats_safely,
  drop column reads_back;

comment on column outrider.platforms.counts_album_items is 'an album counts as so many messages as it has media; otherwise as one';
comment on column outrider.platforms.channel_rps is 'the rate of a channel for which none is configured: messages a second, below the platform''s limit; null: no limit';
comment on column outrider.platforms.group_rps is 'the rate of a group for which none is configured: calls a second, below the platform''s limit; null: no limit';

-- All of them hold where one call is made a fifth of a second later than the next ones: what the platform allows in a
-- second is spread over 1.2.
-- Telegram: 30 messages a second for a bot; an album of ten goes out at once, which leaves 21 for the rest. In a chat
-- about one a second, with bursts of three: an album is made two slots behind the message before it, and two slots last
-- longer than three seconds.
update outrider.platforms set counts_album_items = true, channel_rps = 0.6, group_rps = 17.5 where platform = 'telegram';
-- MAX: 30 calls a second for a bot, 2 messages a second in a chat.
update outrider.platforms set channel_rps = 1.6, group_rps = 25 where platform = 'max';
-- VK: 3 calls a second with the token of a user; no limit of a wall is known.
update outrider.platforms set channel_rps = 1, group_rps = 2.5 where platform = 'vk';

alter table outrider.channels add column quiet_until timestamptz;

comment on column outrider.channels.quiet_until is 'end of the last slots that are certain; next_allowed_at is the end of those that are promised as well';

alter table outrider.delivery_queue
  add column weight smallint not null default 1,
  add constraint weight_is_not_negative check (weight >= 0),
  add constraint only_what_rests_has_its_slots_already check (weight > 0 or claimed);

comment on column outrider.delivery_queue.weight is 'how many slots of its group the next call has to take, as many as the platform counts it for; 0: it has them, and rests until then';

-- Albums that wait already count as they would if they came now.
with waiting as (
  select d.workspace_id, d.delivery_id, (
    select jsonb_agg(
      case when jsonb_array_length(p.part -> 'media') > 1
        then p.part || jsonb_build_object('weight', jsonb_array_length(p.part -> 'media'))
        else p.part
      end order by p.n)
    from jsonb_array_elements(d.render_meta -> 'parts') with ordinality as p (part, n)
  ) as parts
  from outrider.deliveries d
  join outrider.channels c on c.workspace_id = d.workspace_id and c.channel_id = d.channel_id
  where d.status in ('queued', 'claimed', 'sending', 'retry') and c.platform = 'telegram'
    and jsonb_path_exists(d.render_meta, '$.parts[*].media[1]')
)
update outrider.deliveries d
set render_meta = jsonb_set(d.render_meta, '{parts}', w.parts)
from waiting w
where d.workspace_id = w.workspace_id and d.delivery_id = w.delivery_id;

update outrider.delivery_queue q
set weight = coalesce((d.render_meta #>> array['parts',
  coalesce(jsonb_array_length(d.render_meta #> '{series_progress,sent_items}'), 0)::text, 'weight'])::smallint, 1)
from outrider.deliveries d
where d.workspace_id = q.workspace_id and d.delivery_id = q.delivery_id and d.render_meta ? 'parts';

-- One that is added by hand and names no rate has that of the slowest platform.
alter table outrider.channels alter column rate_rps set default 0.6;

-- Rates that nobody has chosen.
update outrider.channels set rate_rps = 0.6 where platform = 'telegram' and rate_rps = 1;
update outrider.platform_limits g
set rate_rps = p.group_rps
from outrider.platforms p
where p.platform = g.platform and g.rate_rps is null;
