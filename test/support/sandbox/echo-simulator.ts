import type { CreateSimulator, SandboxRequest } from '../../../sandbox/simulator.ts';

/** The smallest simulator: it answers `{"ok":true}`, and keeps each request that took effect. */
export function createEcho(): {
  readonly create: CreateSimulator;
  readonly seen: SandboxRequest[];
} {
  const seen: SandboxRequest[] = [];
  const create: CreateSimulator = () => ({
    platform: 'telegram',
    methods: ['getMe', 'sendMessage'],
    limits: { parameterBytes: 1000, files: 2, bodyBytes: 10_000 },
    handle(request) {
      seen.push(request);
      return { status: 200, body: '{"ok":true}' };
    },
    refuse: (fault) =>
      fault.kind === 'rate_limited' || fault.kind === 'server_error'
        ? { status: fault.status ?? 429, body: `{"ok":false,"after":${fault.retryAfter}}` }
        : undefined,
    describe: (request) => ({
      method: request.path.slice(1),
      ...(request.query.has('chat') && { chat: request.query.get('chat') ?? '' }),
    }),
    chats: () => [
      {
        chat: '-100/7',
        title: '<script>alert(1)</script>',
        posts: [
          {
            id: '1"><img src=x>',
            text: '<b>x</b>',
            html: '&lt;b&gt;x&lt;/b&gt;',
            media: [{ type: 'photo<', filename: '"><svg onload=alert(1)>', size: 3 }],
            buttons: [
              [
                { text: '<i>go</i>', url: 'https://example.com/?a=1&b="2' },
                { text: 'run', url: 'javascript:alert(1)' },
              ],
            ],
            album: "al'bum",
            sentAt: '2026-01-01T00:00:00.000Z',
            editedAt: '2026-01-01T00:00:01.000Z',
          },
        ],
      },
    ],
    control(name, body) {
      if (name !== 'echo') throw new Error(`There is no order "${name}".`);
      return { heard: body };
    },
  });
  return { create, seen };
}
