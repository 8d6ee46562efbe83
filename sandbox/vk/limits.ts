// The limits that VK does not publish. Each can be set through the control API; null means no limit.

import { z } from 'zod';

const limit = z.number().int().nonnegative().nullable();

export const limitsSchema = z.strictObject({
  /** Calls a second by one token. */
  user_rps: limit,
  service_rps: limit,
  community_rps: limit,
  /** wall.get by one token within a day. */
  wall_get_per_day: limit,
  /** On one wall within a day. */
  posts_per_day: limit,
  /** By one person on walls of others within a day. */
  foreign_posts_per_day: limit,
  /** Postponed posts on one wall: for the same day, and in all. */
  postponed_per_day: limit,
  postponed_total: limit,
  ads_per_day: limit,
  ads_interval_s: limit,
  /** How often one wall takes the same words within the window. */
  same_text: limit,
  same_text_window_s: z.number().int().positive(),
  guid_window_s: z.number().int().positive(),
  post_length: z.number().int().positive(),
  message_length: z.number().int().positive(),
  upload_url_s: z.number().int().positive(),
  photo_url_s: z.number().int().positive(),
});

export type Limits = z.infer<typeof limitsSchema>;

/** The figures that are reported for the live service; where reports differ, the newer figure. */
export const usualLimits: Limits = {
  user_rps: 3,
  service_rps: 3,
  community_rps: 20,
  wall_get_per_day: 5000,
  posts_per_day: 500,
  foreign_posts_per_day: 50,
  postponed_per_day: 250,
  postponed_total: 1500,
  ads_per_day: 5,
  ads_interval_s: 3600,
  same_text: 3,
  same_text_window_s: 3600,
  guid_window_s: 3600,
  post_length: 15_000,
  message_length: 4096,
  upload_url_s: 3600,
  photo_url_s: 86_400,
};
