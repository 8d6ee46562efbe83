-- A message that a contact was taken out of is known as such: the same post, when somebody sends it again, goes out as it
-- comes.

alter table outrider.messages add column erased_at timestamptz;

comment on column outrider.messages.erased_at is
  'when a contact was last taken out of it; null: it is as it came. The same content, when it comes again, replaces it';
