// An adapter of your own: a notice board that takes texts over HTTP. Outrider queues, paces, repeats and records as for
// the platforms that it brings along.
//
//   npm run example examples/own-adapter.ts

import { once } from 'node:events';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { loadConfig, openOutrider, silentLog } from 'outrider';
import {
  type Adapter,
  createTransport,
  judgeStatus,
  noAnswer,
  readAnswer,
  sendError,
  sendPaced,
  sendParts,
  type Transport,
} from 'outrider/adapters';
import { applyWorkspace, openDatabase, openPool } from 'outrider/sql';
import { z } from 'zod';

const Shown = z.object({ id: z.string() });

function createBoardAdapter(transport: Transport, baseUrl: string): Adapter {
  const noChange = { ok: false, error: sendError('not_changeable', 'a notice stays') } as const;
  return {
    platform: 'board',
    send: ({ token, ...request }, options) =>
      sendParts(request, options, async () => {
        const { signal, holds, beforeCall } = options;
        const call = { method: 'POST', url: `${baseUrl}/notices`, timeoutMs: 10_000 } as const;
        const body = { json: { board: request.channel.targetId, text: request.text } };
        const headers = { authorization: `Bearer ${token}` };
        const asked = { ...call, body, headers, signal, holds, secrets: [token] };
        const reply = await sendPaced(transport, beforeCall, { messages: 1 }, asked);
        // No answer is not a refusal: `noAnswer` says whether the notice may hang there.
        if (reply.kind !== 'answered') return { ok: false, error: noAnswer(reply) };
        const shown = reply.status === 201 ? readAnswer(reply, Shown) : undefined;
        if (shown === undefined) return { ok: false, error: judgeStatus(reply, new Date()) };
        return { ok: true, providerMessageId: shown.id };
      }),
    edit: async () => noChange,
    remove: async () => noChange,
    check: async () => ({ ok: true, account: 'the board' }),
  };
}

// The board. Its first answer is that it is busy, so that there is something to repeat.
let calls = 0;
const board = createServer((request, response) => {
  void text(request).then((notice) => {
    calls += 1;
    if (calls === 1) return response.writeHead(429, { 'retry-after': '1' }).end();
    console.log(`the board shows ${notice}`);
    return response.writeHead(201).end(JSON.stringify({ id: String(calls) }));
  });
}).listen(0, '127.0.0.1');
await once(board, 'listening');
const place = board.address();
const url = `http://127.0.0.1:${typeof place === 'object' ? place?.port : place}`;

// What Outrider must know of a platform stands in two tables; docs/adapters.md explains the columns.
const database = await openDatabase(loadConfig());
const admin = openPool({ url: database.url, applicationName: 'own adapter' });
await admin.query(`
  insert into outrider.platforms
    (platform, title, text_max, caption_max, media_max, groups_media, channel_rps, group_rps, counts_album_items,
     dialects, length_unit, counts_markup, takes_buttons)
  values ('board', 'Notice board', 1000, null, 1, false, 10, 100, false, '{}', 'code_points', false, false)
  on conflict do nothing`);
await admin.end();

const transport = createTransport();
const outrider = await openOutrider(
  { secrets: { BOARD_TOKEN: 'hush' } },
  { database, log: silentLog, adapters: { board: createBoardAdapter(transport, url) } },
);
try {
  const document = {
    workspace: 'house',
    name: 'Notices of the house',
    credentials: { key: { platform: 'board', secret_ref: 'env:BOARD_TOKEN' } },
    channels: { hall: { platform: 'board', target_id: 'hall', auth_ref: 'key' } },
  };
  await applyWorkspace(outrider.client, { document, prune: false, dryRun: false });
  await outrider.start(['dispatch', 'upkeep']);
  // A field makes each post another one: the same post again would be suppressed for a week.
  const post = { text: 'No water on Tuesday', fields: { notice: Date.now() } };
  const { messageId } = await outrider.enqueue('house', post);

  const statuses = ['sent', 'failed_permanent', 'dead'] as const;
  const filter = { workspaceId: 'house', messageId, statuses, limit: 1 };
  let [ended] = await outrider.inspect.deliveries(filter);
  for (; ended === undefined; [ended] = await outrider.inspect.deliveries(filter)) await delay(50);
  console.log(`${ended.status} at attempt ${ended.attempt}`);
} finally {
  await outrider.stop();
  await transport.close();
  await database.close();
  board.close();
}
