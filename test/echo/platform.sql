-- Echo: a platform that shows texts.
insert into outrider.platforms
  (platform, title, text_max, caption_max, media_max, groups_media, channel_rps, group_rps, counts_album_items,
   dialects, length_unit, counts_markup, takes_buttons)
values ('echo', 'Echo', 1000, null, 1, false, 10, 100, false, '{}', 'code_points', false, false);
