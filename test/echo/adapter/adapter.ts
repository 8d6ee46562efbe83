// Echo: texts to rooms. It can neither change nor take back what it has shown.

import { z } from 'zod';
import type {
  Adapter,
  SendError,
  SendOptions,
  SendOutcome,
  SendRequest,
} from '../../../src/adapters/adapter.ts';
import { judgeStatus, noAnswer, readAnswer, sendError } from '../../../src/adapters/answer.ts';
import { sendPaced } from '../../../src/adapters/paced.ts';
import { sendParts } from '../../../src/adapters/parts.ts';
import type { AdapterOptions } from '../../../src/adapters/platform.ts';
import type { Reply, Transport } from '../../../src/http/transport.ts';
import { readTarget } from './target.ts';

const Shown = z.object({ id: z.string() });
const Me = z.object({ account: z.string() });

export function createEchoAdapter(options: AdapterOptions): Adapter {
  const { transport, baseUrl = 'https://echo.invalid' } = options;
  const noChange = {
    ok: false,
    error: sendError('not_changeable', 'Echo changes nothing'),
  } as const;
  return {
    platform: 'echo',
    send: (request, sendOptions) => sendPost(transport, baseUrl, request, sendOptions),
    edit: async () => noChange,
    remove: async () => noChange,
    async check(token, signal) {
      const reply = await transport.send({
        method: 'GET',
        url: `${baseUrl}/me?token=${encodeURIComponent(token)}`,
        timeoutMs: 10_000,
        signal,
        secrets: [token],
      });
      const me = read(reply, Me);
      return me.ok ? { ok: true, account: me.value.account } : me;
    },
  };
}

function sendPost(
  transport: Transport,
  baseUrl: string,
  request: SendRequest,
  options: SendOptions,
): Promise<SendOutcome> {
  const target = readTarget(request.channel);
  const { signal, holds, beforeCall } = options;
  return sendParts(request, options, async () => {
    if ('code' in target) return { ok: false, error: target };
    const { room, isLoud } = target;
    const text = isLoud ? request.text.toUpperCase() : request.text;
    const reply = await sendPaced(
      transport,
      beforeCall,
      { messages: 1 },
      {
        method: 'POST',
        url: `${baseUrl}/say`,
        body: { json: { token: request.token, room, text } },
        timeoutMs: 10_000,
        signal,
        holds,
        secrets: [request.token],
      },
    );
    const shown = read(reply, Shown);
    return shown.ok ? { ok: true, providerMessageId: shown.value.id } : shown;
  });
}

function read<Schema extends z.ZodType>(
  reply: Reply,
  schema: Schema,
): { ok: true; value: z.output<Schema> } | { ok: false; error: SendError } {
  if (reply.kind !== 'answered') return { ok: false, error: noAnswer(reply) };
  const value = reply.status === 200 ? readAnswer(reply, schema) : undefined;
  if (value !== undefined) return { ok: true, value };
  return { ok: false, error: judgeStatus(reply, new Date()) };
}
