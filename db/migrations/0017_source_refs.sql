-- A source_ref that is empty is none: two posts without an id are not the same post.

alter table outrider.messages add constraint an_empty_source_ref_is_none check (source_ref <> '');
alter table outrider.ingress_receipts add constraint an_empty_source_ref_is_none check (source_ref <> '');
