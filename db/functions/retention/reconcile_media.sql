create or replace function outrider.reconcile_media(p_workspace_id text)
  returns table (blob_ref text, counted bigint, ref_count bigint)
  language plpgsql
  volatile
  security definer
  set search_path = outrider, pg_temp
as $$
#variable_conflict use_column
declare
  v_doubtful text[];
begin
  perform outrider.require_workspace('reconcile_media', p_workspace_id);

  v_doubtful := array(
    select o.blob_ref
    from outrider.media_origin o
    left join outrider.media_references(p_workspace_id) r on r.blob_ref = o.blob_ref
    where o.workspace_id = p_workspace_id and o.ref_count <> coalesce(r.messages, 0));
  perform from outrider.media_origin o
  where o.workspace_id = p_workspace_id and o.blob_ref = any (v_doubtful)
  order by o.blob_ref
  for no key update;

  return query
  with was as materialized (
    select o.blob_ref, o.ref_count, coalesce(r.messages, 0) as messages
    from outrider.media_origin o
    left join outrider.media_references(p_workspace_id) r on r.blob_ref = o.blob_ref
    where o.workspace_id = p_workspace_id and o.blob_ref = any (v_doubtful)
  )
  update outrider.media_origin o
  set ref_count = was.messages
  from was
  where o.workspace_id = p_workspace_id and o.blob_ref = was.blob_ref and was.ref_count <> was.messages
  returning o.blob_ref, was.ref_count, o.ref_count;
end;
$$;

comment on function outrider.reconcile_media is $doc$Counts anew how many messages name each blob, and corrects media_origin.ref_count where it is wrong. Intake
and the purge keep it; this is for after a restore, or after something was changed by hand.

Concurrency: reads all messages of the workspace without a lock; only blobs whose count seems wrong are then locked and counted
again, so that posts which come meanwhile are counted once.
Returns: the blobs that were corrected, with the count that they had (`counted`) and the one that they have now.
Raises: OR001, OR002, OR003.$doc$;

grant execute on function outrider.reconcile_media to outrider_service;
