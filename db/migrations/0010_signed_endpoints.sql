-- An endpoint may ask for a signature besides its secret.

alter table outrider.workspace_endpoints
  add column signing_secret_ref text,
  add constraint signing_secret_ref_points_to_a_secret check (signing_secret_ref ~ '^(env|file):.+$');

comment on column outrider.workspace_endpoints.signing_secret_ref is
  'Where the secret of Standard Webhooks signatures is read from, env:NAME or file:PATH; null: posts need no signature.';
