-- How a channel shortens posts, scatters its slots and limits its calls; and the traces by which posts that are nearly
-- the same are found.

alter table outrider.channels
  add constraint channel_text_max_is_a_number_of_characters check (
    not settings ? 'text_max'
    or settings @? 'strict $.text_max ? (@.type() == "number" && @ >= 1 && @ <= 65536 && @ == @.floor())'
  ),
  add constraint channel_media_max_is_a_number_of_media check (
    not settings ? 'media_max'
    or settings @? 'strict $.media_max ? (@.type() == "number" && @ >= 1 && @ <= 100 && @ == @.floor())'
  ),
  add constraint channel_policy_on_media_is_known check (coalesce(settings ->> 'on_media', 'fail') in ('fail', 'leave_out')),
  add constraint channel_timeout_is_1_to_120_seconds check (
    not settings ? 'timeout' or settings @? 'strict $.timeout ? (@.type() == "number" && @ >= 1 && @ <= 120)'
  ),
  add constraint channel_jitter_is_at_most_a_minute check (
    not settings ? 'jitter_ms'
    or settings @? 'strict $.jitter_ms ? (@.type() == "number" && @ >= 0 && @ <= 60000 && @ == @.floor())'
  ),
  add constraint channel_compares_posts_as_documented check (
    not settings ? 'similar'
    or (
      jsonb_typeof(settings -> 'similar') = 'object'
      and not jsonb_path_exists(
        settings, 'strict $.similar.keyvalue() ? (!(@.key like_regex "^(within_hours|score|pictures|same)$"))')
      and (
        not settings -> 'similar' ? 'within_hours'
        or settings @? 'strict $.similar.within_hours ? (@.type() == "number" && @ >= 1 && @ <= 720 && @ == @.floor())'
      )
      and (
        not settings -> 'similar' ? 'score'
        or settings @? 'strict $.similar.score ? (@.type() == "number" && @ >= 0.5 && @ <= 1)'
      )
      and jsonb_typeof(coalesce(settings #> '{similar,pictures}', 'false')) = 'boolean'
      and jsonb_typeof(coalesce(settings #> '{similar,same}', '[]')) = 'array'
      and not jsonb_path_exists(coalesce(settings #> '{similar,same}', '[]'), 'strict $[*] ? (@.type() != "string")')
    )
  );

-- How much later than its pace asks for a slot may come; null: not at all.
alter type outrider.lane add attribute jitter interval;

-- A message that is nearly the same as one that the channel has: how nearly, and by which signs.
alter type outrider.judged_channel add attribute score numeric;
alter type outrider.judged_channel add attribute signs text[];

alter table outrider.media_origin
  add column picture_hash text,
  add constraint picture_hash_is_16_hex_digits check (picture_hash ~ '^[0-9a-f]{16}$');

comment on column outrider.media_origin.picture_hash is
  'what the picture looks like, as 64 bits: pictures that look alike differ in few of them; null: not a picture, or never asked for';

-- By what a message can be told to be nearly the same as another. Only messages for channels that ask for it
-- (settings.similar) have a trace, and only for as long as those look back. Phone numbers and addresses are kept as hashes.
create table outrider.message_traces (
  workspace_id text collate "C" not null,
  message_id uuid not null,
  keys bigint[] not null,
  phones bigint[] not null,
  urls bigint[] not null,
  pictures bigint[] not null,
  words integer[] not null,
  numbers integer[] not null,
  word_pairs integer[] not null,
  noted_at timestamptz not null,
  expires_at timestamptz not null,

  -- The uuid comes first, as for messages: no plan scans a workspace by this key.
  constraint message_traces_pkey primary key (message_id, workspace_id),
  constraint a_trace_belongs_to_a_message
    foreign key (workspace_id, message_id) references outrider.messages (workspace_id, message_id) on delete cascade,
  constraint a_trace_without_a_key_is_never_found check (cardinality(keys) > 0),
  constraint a_trace_expires_after_it_is_noted check (expires_at > noted_at)
);

comment on column outrider.message_traces.keys is
  'hashes of what two messages must have in common to be compared: the workspace with a phone number, an address, or a quarter of a picture hash';
comment on column outrider.message_traces.words is 'hashes of the words of its title and text, without their vowels and except numbers, each once';
comment on column outrider.message_traces.numbers is 'hashes of the numbers among them, each with the word before it';
comment on column outrider.message_traces.word_pairs is 'hashes of the pairs of neighbouring words';

-- Which messages have something in common with a new one? Without a list of pending entries: every look would read it.
create index message_traces_keys_idx on outrider.message_traces using gin (keys) with (fastupdate = off);
-- Whose time is over.
create index message_traces_expired_idx on outrider.message_traces (expires_at);

do $$
declare
  v_table constant text := 'message_traces';
begin
  execute format('alter table outrider.%I enable row level security', v_table);
  execute format('alter table outrider.%I force row level security', v_table);
  execute format(
    'create policy functions_act_for_the_workspace_they_checked on outrider.%I
       to outrider_owner using (true) with check (true)', v_table);
  execute format(
    'create policy services_see_every_workspace on outrider.%I
       for select to outrider_service using (true)', v_table);
  execute format(
    'create policy a_login_sees_its_workspaces on outrider.%I
       for select using (
         workspace_id in (
           select l.workspace_id from outrider.workspace_logins l where l.login = current_user))',
    v_table);
  execute format('grant select on outrider.%I to outrider_reader', v_table);
end;
$$;
