// What the bench simulates: 24 Telegram channels, 12 of MAX and 4 of VK at the paces of their platforms, three of them with
// posting windows, and posts that all come at once.

type Times = readonly [from: string, until: string];

const windowed = (...times: Times[]) => ({
  window_mode: 'windowed',
  timezone: 'UTC',
  posting_window: { mon: times, tue: times },
});

/** A Monday. */
const start = Date.parse('2026-03-02T09:00:00Z');

const interrupted = windowed(['09:00', '09:30'], ['10:00', '22:00']);
const late = windowed(['09:10', '22:00']);

const platforms = [
  {
    platform: 'telegram',
    count: 24,
    target: -1_001_000_000_000,
    own: { 12: interrupted, 24: interrupted },
  },
  { platform: 'max', count: 12, target: -70_000_000_000_000, own: { 12: late } },
  { platform: 'vk', count: 4, target: -1000, own: {} },
] as const;

export const channelCount = platforms.reduce((sum, { count }) => sum + count, 0);

export const document = {
  credentials: Object.fromEntries(
    platforms.map(({ platform }) => [platform, { platform, secret_ref: 'env:TOKEN' }]),
  ),
  channels: Object.fromEntries(
    platforms.flatMap(({ platform, count, target, own }) =>
      Array.from({ length: count }, (_, n) => {
        const common = { platform, target_id: String(target - n), auth_ref: platform };
        const more: object =
          Object.entries(own).find(([place]) => Number(place) === n + 1)?.[1] ?? {};
        return [`${platform}-${n + 1}`, { ...common, ...more }];
      }),
    ),
  ),
};

export function arrivals(posts: number) {
  return Array.from({ length: posts }, (_, n) => ({
    at: start,
    post: {
      title: `Lost dog ${n}`,
      text: 'Ginger, answers to Bim. Last seen at the station near the market. '.repeat(4),
      tags: ['lost'],
    },
  }));
}
