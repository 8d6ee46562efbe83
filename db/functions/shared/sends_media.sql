-- Whether a part of a delivery may name media of its message. If none does, its text and its render_meta are all that is
-- sent.
create or replace function outrider.sends_media(p_render_meta jsonb)
  returns boolean
  language sql
  immutable
  parallel safe
return p_render_meta @? '$.parts[*].media';
