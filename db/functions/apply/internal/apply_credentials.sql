-- Brings the credentials of a workspace to what a document says. A new secret_ref is a rotation: its time is kept, and
-- an event records it without the reference itself. Groups that were closed because of the old secret open again
-- (open_mended_groups). The platform of a credential cannot change while a channel that the document does not list
-- posts with it; apply_channels checks the channels that the document lists.
create or replace function outrider.apply_credentials(p_document jsonb, p_now timestamptz)
  returns setof jsonb
  language plpgsql
  volatile
as $$
declare
  v_workspace_id constant text := p_document ->> 'workspace';
  v_id text;
  v_fields jsonb;
  v_change jsonb;
  v_channel text;
begin
  for v_id, v_fields in select c.key, c.value from jsonb_each(p_document -> 'credentials') c order by c.key loop
    v_change := outrider.apply_row('credential', 'credential_bindings', v_id,
      jsonb_build_object('workspace_id', v_workspace_id, 'auth_ref', v_id),
      (
        select to_jsonb(b) from outrider.credential_bindings b
        where b.workspace_id = v_workspace_id and b.auth_ref = v_id for no key update
      ),
      v_fields, p_now);
    if v_change ->> 'action' = 'change' and v_change -> 'fields' ? 'secret_ref' then
      update outrider.credential_bindings b set rotated_at = p_now
      where b.workspace_id = v_workspace_id and b.auth_ref = v_id;
      perform outrider.write_channel_event(v_workspace_id, null, 'auth_rotated', jsonb_build_object('auth_ref', v_id), p_now);
    end if;
    if v_change -> 'fields' ? 'platform' then
      select min(c.channel_id) into v_channel
      from outrider.channels c
      left join outrider.channel_auth r on r.workspace_id = c.workspace_id and r.channel_id = c.channel_id
      where c.workspace_id = v_workspace_id and coalesce(r.auth_ref, c.auth_ref) = v_id
        and c.platform <> v_fields ->> 'platform' and not coalesce(p_document -> 'channels' ? c.channel_id, false);
      if v_channel is not null then
        v_change := outrider.refused_change('credential', v_id, format('credential %s: platform cannot be %s, because channel %s posts with it',
          outrider.excerpt(v_id), v_fields ->> 'platform', outrider.excerpt(v_channel)),
          'Give the other platform a credential of its own.');
      end if;
    end if;
    return next v_change;
  end loop;
end;
$$;
