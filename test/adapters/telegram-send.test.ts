import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { SandboxReply, SandboxRequest } from '../../sandbox/simulator.ts';
import type { SendRequest } from '../../src/adapters/adapter.ts';
import { createTelegramAdapter } from '../../src/adapters/telegram/adapter.ts';
import type { HttpRequest, Transport } from '../../src/http/transport.ts';
import { errorOf, idsOf, type Stage, useStage } from './stage.ts';
import { StoredBlob } from './stored-blob.ts';
import { group, supergroup, telegramHarness } from './telegram-harness.ts';
import { refused } from './telegram-meanings.ts';

const text = { kind: 'text', buttons: false } as const;
const picture = { kind: 'media', media: [0], caption: false, buttons: false } as const;

const Addressed = z.object({ chat_id: z.string() });

/** The channel of the stage with other settings, or another chat. */
function channelWith(stage: Stage, settings: object, targetId = stage.place.targetId) {
  const { channel } = stage.request();
  return { channel: { ...channel, targetId, settings: { ...settings } } };
}

function textsOf(stage: Stage, chat: number): string[] {
  const found = stage.simulator.chats().find((each) => each.chat === String(chat));
  return found?.posts.map((post) => post.text) ?? [];
}

function bodies(stage: Stage): unknown[] {
  return stage.calls.map((call) => call.request.json);
}

describe('the settings of a channel', () => {
  const stage = useStage(telegramHarness);

  it('choose the topic, the silence and the protection of every message', async () => {
    const settings = {
      message_thread_id: 7,
      disable_notification: true,
      protect_content: true,
      parse_mode: 'HTML',
    };
    idsOf(await stage().send(channelWith(stage(), settings, String(supergroup))));
    expect(bodies(stage())).toEqual([
      {
        chat_id: String(supergroup),
        text: 'Пропал рыжий пёс',
        message_thread_id: 7,
        disable_notification: true,
        protect_content: true,
      },
    ]);
  });

  it('go with uploads and albums too', async () => {
    const settings = { message_thread_id: 7, protect_content: true };
    const media = [new StoredBlob('one').asMedium(), new StoredBlob('two').asMedium()];
    const parts = [picture, { ...picture, media: [0, 1] }];
    const channel = channelWith(stage(), settings, String(supergroup));
    idsOf(await stage().send({ ...channel, media, parts }));
    const form = { chat_id: String(supergroup), message_thread_id: '7', protect_content: 'true' };
    expect(stage().calls.map((call) => call.request.form)).toMatchObject([form, form]);
  });

  it('are silent about what they leave open', async () => {
    const settings = { disable_notification: false, protect_content: false };
    idsOf(await stage().send(channelWith(stage(), settings)));
    expect(bodies(stage())).toEqual([
      { chat_id: stage().place.targetId, text: 'Пропал рыжий пёс' },
    ]);
  });

  it.each([
    ['message_thread_id', { message_thread_id: 'seven' }],
    ['message_thread_id', { message_thread_id: 0 }],
    ['disable_notification', { disable_notification: 'yes' }],
    ['protect_content', { protect_content: 1 }],
    ['on_unknown', { on_unknown: 'forget' }],
  ])('close the channel when %s is no such thing', async (name, settings) => {
    const error = errorOf(await stage().send(channelWith(stage(), settings)));
    expect(error).toMatchObject({ category: 'PERMANENT', scope: 'channel', code: 'settings' });
    expect(error.message).toContain(name);
    expect(stage().calls).toEqual([]);
  });
});

describe('a group that has become a supergroup', () => {
  const stage = useStage(telegramHarness);
  const moved = -1_000_000_000_888;

  it('is followed: the post is there once, and the channel is told', async () => {
    stage().simulator.control('migrate', { chat: group, to: moved });
    const news: string[] = [];
    const onMoved = async (target: string) => void news.push(target);
    const outcome = await stage().send(channelWith(stage(), {}, String(group)), { onMoved });
    expect(outcome).toMatchObject({ ok: true });
    expect(news).toEqual([String(moved)]);
    expect(textsOf(stage(), moved)).toEqual(['Пропал рыжий пёс']);
    expect(textsOf(stage(), group)).toEqual([]);
  });

  it('is asked once for all parts', async () => {
    stage().simulator.control('migrate', { chat: group, to: moved });
    const media = [new StoredBlob('one').asMedium()];
    const channel = channelWith(stage(), {}, String(group));
    idsOf(await stage().send({ ...channel, media, parts: [text, picture] }));
    const chats = stage().calls.map(({ request: { json, form } }) => Addressed.parse(json ?? form));
    expect(chats).toEqual([group, moved, moved].map((id) => ({ chat_id: String(id) })));
    expect(textsOf(stage(), moved)).toEqual(['Пропал рыжий пёс', '']);
  });

  it('gets an upload whole', async () => {
    stage().simulator.control('migrate', { chat: group, to: moved });
    const blob = new StoredBlob('one');
    const channel = channelWith(stage(), {}, String(group));
    idsOf(await stage().send({ ...channel, media: [blob.asMedium()] }));
    expect(blob).toMatchObject({ opened: 2, forgotten: 0 });
    const chat = stage()
      .simulator.chats()
      .find((each) => each.chat === String(moved));
    expect(chat?.posts).toMatchObject([{ media: [{ sha256: blob.sha256 }] }]);
  });

  it('is followed although nobody takes the news down', async () => {
    stage().simulator.control('migrate', { chat: group, to: moved });
    const onMoved = () => Promise.reject(new Error('the database is away'));
    idsOf(await stage().send(channelWith(stage(), {}, String(group)), { onMoved }));
    expect(textsOf(stage(), moved)).toEqual(['Пропал рыжий пёс']);
  });
});

describe('a chat that moves on and on', () => {
  const asked: string[] = [];
  const stage = useStage(telegramHarness, {
    disguise: (simulator) => ({
      ...simulator,
      handle(request: SandboxRequest): SandboxReply {
        const id = -1_000_000_000_000 - asked.push(simulator.describe(request).chat ?? '');
        const words = 'Bad Request: group chat was upgraded to a supergroup chat';
        return refused(400, words, { migrate_to_chat_id: id });
      },
    }),
  });

  it('is followed once in a send', async () => {
    const error = errorOf(await stage().send());
    expect(error).toMatchObject({ category: 'TRANSIENT', scope: 'delivery', code: 'chat_moved' });
    expect(asked).toEqual([stage().place.targetId, '-1000000000001']);
  });
});

describe('an unknown outcome', () => {
  const stage = useStage(telegramHarness);
  const held = { category: 'PERMANENT', scope: 'delivery', code: 'outcome_unknown' };
  const hold = () => channelWith(stage(), { on_unknown: 'hold' });

  it.each([{}, { on_unknown: 'retry' }])('is tried again by %j', async (settings) => {
    stage().faults.add({ kind: 'drop', stored: true, times: 1 });
    const channel = channelWith(stage(), settings);
    const error = errorOf(await stage().send(channel));
    expect(error).toMatchObject({ category: 'TRANSIENT', code: 'outcome_unknown' });
    idsOf(await stage().send({ ...channel, outcomeUnknown: true }));
    expect(stage().shown()).toHaveLength(2);
  });

  it.each(['drop', 'html', 'empty_body', 'truncated_json', 'server_error'] as const)(
    'by %s is held for an operator where the channel says so',
    async (kind) => {
      stage().faults.add({ kind, stored: true, times: 1 });
      expect(errorOf(await stage().send(hold()))).toMatchObject(held);
    },
  );

  it('stays unknown at the next attempt, which calls nobody', async () => {
    const error = errorOf(await stage().send({ ...hold(), outcomeUnknown: true }));
    expect(error).toMatchObject(held);
    expect(stage().calls).toEqual([]);
  });

  it('is that of the first open part: what was acknowledged is not in doubt', async () => {
    const media = [new StoredBlob('one').asMedium()];
    const plan = { media, parts: [text, picture], partsDone: new Map([[0, '5']]) };
    const outcome = await stage().send({ ...hold(), ...plan, outcomeUnknown: true });
    expect(outcome).toMatchObject({
      ok: false,
      error: held,
      partsDone: [{ item: 0, providerMessageId: '5' }],
    });
    const all = new Map([
      [0, '5'],
      [1, '6'],
    ]);
    const done = { ...hold(), ...plan, partsDone: all, outcomeUnknown: true };
    expect(await stage().send(done)).toMatchObject({ ok: true, providerMessageId: '5' });
    expect(stage().calls).toEqual([]);
  });

  it('is not what a refusal is', async () => {
    stage().faults.add({ kind: 'rate_limited', times: 1 });
    const error = errorOf(await stage().send(hold()));
    expect(error).toMatchObject({ category: 'TRANSIENT', code: 'rate_limited' });
    idsOf(await stage().send(hold()));
  });
});

describe('a token', () => {
  const stage = useStage(telegramHarness);

  it.each(['', 'nobody', '4200', '4200:', '4200:a/../b', '4200:a?b', '4200:a#b', '4200:a b'])(
    'that is none is not sent: "%s"',
    async (token) => {
      const error = errorOf(
        await stage().adapter.send(stage().request({ token }), {
          signal: new AbortController().signal,
          holds: () => true,
          onPart: async () => undefined,
          beforeCall: async () => undefined,
          onMoved: async () => undefined,
        }),
      );
      expect(error).toMatchObject({ code: 'credential_refused' });
      expect(JSON.stringify(error)).not.toContain(token === '' ? '""' : `"${token}`);
      expect(stage().calls).toEqual([]);
    },
  );
});

describe('a call', () => {
  const stage = useStage(telegramHarness);

  /** What an adapter with these options asks of its transport. */
  async function asked(options: object, changes: Partial<SendRequest> = {}): Promise<HttpRequest> {
    const requests: HttpRequest[] = [];
    const transport: Transport = {
      close: async () => undefined,
      async send(request) {
        requests.push(request);
        return { kind: 'not_sent', code: 'ECONNREFUSED', reason: 'the connection was refused' };
      },
    };
    const adapter = createTelegramAdapter({ ...options, transport });
    await adapter.send(stage().request(changes), {
      signal: new AbortController().signal,
      holds: () => true,
      onPart: async () => undefined,
      beforeCall: async () => undefined,
      onMoved: async () => undefined,
    });
    const [request, ...others] = requests;
    if (request === undefined || others.length > 0) throw new Error('one call was expected');
    return request;
  }

  const { token } = telegramHarness;

  it.each([
    [{}, 'https://api.telegram.org'],
    [{ baseUrl: 'http://own.example:8081' }, 'http://own.example:8081'],
    [{ baseUrl: 'http://own.example/api/' }, 'http://own.example/api'],
  ])('with %j goes to %s', async (options, base) => {
    expect((await asked(options)).url).toBe(`${base}/bot${token}/sendMessage`);
  });

  it('has more time when files go up with it', async () => {
    const options = { timeoutMs: 1000, uploadTimeoutMs: 7000 };
    const blob = new StoredBlob('one');
    expect(await asked(options)).toMatchObject({ timeoutMs: 1000 });
    expect(await asked(options, { media: [blob.asMedium()] })).toMatchObject({ timeoutMs: 7000 });
    blob.fileId = telegramHarness.abilities.unknownFileId;
    expect(await asked(options, { media: [blob.asMedium()] })).toMatchObject({ timeoutMs: 1000 });
  });
});

describe('a server that repeats the token', () => {
  const { token } = telegramHarness;
  const [id = '', secret = ''] = token.split(':');
  let echo = '';
  const stage = useStage(telegramHarness, {
    disguise: (simulator) => ({
      ...simulator,
      handle: () => ({ status: 404, body: `<h1>no /bot${echo}/sendMessage here</h1>` }),
    }),
  });

  it.each([
    ['as it is', token],
    ['with its colon encoded', `${id}%3A${secret}`],
    ['with its colon encoded in lower case', `${id}%3a${secret}`],
    ['as HTML', `${id}&#58;${secret}`],
    ['without the id', secret],
  ])('does not get it into an error: %s', async (_how, form) => {
    echo = form;
    const error = errorOf(await stage().send());
    expect(error).toMatchObject({ category: 'PERMANENT', scope: 'channel', code: 'refused' });
    expect(JSON.stringify(error)).not.toContain(secret);
  });
});
