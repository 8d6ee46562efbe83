import { createHash } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import { Readable } from 'node:stream';
import { Bot, GrammyError, HttpError, InlineKeyboard, InputFile, webhookCallback } from 'grammy';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { closeServer, listen } from '../../sandbox/server.ts';
import {
  channel,
  group,
  png,
  startTelegram,
  supergroup,
  type TelegramSandbox,
  token,
  user,
} from '../support/sandbox/telegram-sandbox.ts';

let sandbox: TelegramSandbox;

beforeEach(async () => {
  sandbox = await startTelegram();
});

afterEach(() => sandbox.close());

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

describe('grammY', () => {
  it('asks who the bot is', async () => {
    expect(await sandbox.api.getMe()).toMatchObject({
      id: 4200,
      is_bot: true,
      username: 'first_bot',
    });
  });

  it('sends formatted text with a keyboard', async () => {
    const keyboard = new InlineKeyboard().url('Read', 'https://example.com/a').text('Like', 'like');
    const sent = await sandbox.api.sendMessage(channel, '<b>Hi</b> 👋 <i>there</i>', {
      parse_mode: 'HTML',
      reply_markup: keyboard,
      link_preview_options: { is_disabled: true },
    });
    expect(sent).toMatchObject({
      message_id: 1,
      date: Date.UTC(2026, 0, 1) / 1000,
      chat: { id: channel, type: 'channel', title: 'News' },
      sender_chat: { id: channel },
      text: 'Hi 👋 there',
      entities: [
        { type: 'bold', offset: 0, length: 2 },
        { type: 'italic', offset: 6, length: 5 },
      ],
      link_preview_options: { is_disabled: true },
      reply_markup: { inline_keyboard: keyboard.inline_keyboard },
    });
    expect(sent.from).toBeUndefined();
    expect(sandbox.posts(channel)).toEqual([
      {
        id: '1',
        from: 'first_bot',
        text: 'Hi 👋 there',
        html: '<b>Hi</b> 👋 <i>there</i>',
        media: [],
        buttons: [
          [
            { text: 'Read', url: 'https://example.com/a' },
            { text: 'Like', payload: 'like' },
          ],
        ],
        sentAt: '2026-01-01T00:00:00.000Z',
      },
    ]);
  });

  it('uploads from a buffer and from a stream', async () => {
    const photo = png(640, 480);
    const fromBuffer = await sandbox.api.sendPhoto(user, new InputFile(photo, 'cat.png'), {
      caption: 'кот',
    });
    expect(fromBuffer.photo.map(({ width, height }) => [width, height])).toEqual([
      [90, 68],
      [320, 240],
      [640, 480],
    ]);
    expect(fromBuffer.photo.at(-1)?.file_size).toBe(photo.length);
    const pieces = [Buffer.alloc(70_000, 'a'), Buffer.alloc(70_000, 'b')];
    const stream = new InputFile(Readable.from(pieces), 'отчёт.pdf');
    const fromStream = await sandbox.api.sendDocument(user, stream);
    expect(fromStream.document).toMatchObject({
      file_name: 'отчёт.pdf',
      file_size: 140_000,
      mime_type: 'application/pdf',
    });
    expect(sandbox.posts(user).map(({ media }) => media)).toEqual([
      [{ type: 'photo', sha256: sha256(photo), size: 100, filename: 'cat.png' }],
      [
        {
          type: 'document',
          sha256: sha256(Buffer.concat(pieces)),
          size: 140_000,
          filename: 'отчёт.pdf',
        },
      ],
    ]);
  });

  it('sends an album of uploads, an address and a file of before', async () => {
    const before = await sandbox.api.sendPhoto(user, new InputFile(png(10, 10), 'a.png'));
    const known = before.photo.at(-1)?.file_id ?? '';
    const messages = await sandbox.api.sendMediaGroup(supergroup, [
      {
        type: 'photo',
        media: new InputFile(png(20, 20), 'b.png'),
        caption: '*x*',
        parse_mode: 'MarkdownV2',
      },
      { type: 'video', media: new InputFile(Buffer.from('film'), 'c.mp4') },
      { type: 'photo', media: 'https://example.com/d.jpg' },
      { type: 'photo', media: known },
    ]);
    expect(messages.map(({ message_id }) => message_id)).toEqual([1, 2, 3, 4]);
    const [album, ...others] = new Set(
      messages.map((message) => ('media_group_id' in message ? message.media_group_id : undefined)),
    );
    expect(album).toMatch(/^\d+$/);
    expect(others).toEqual([]);
    expect(messages[0]).toMatchObject({ caption: 'x', caption_entities: [{ type: 'bold' }] });
    expect(sandbox.posts(supergroup).map((post) => [post.album, post.text, post.media])).toEqual([
      [album, 'x', [expect.objectContaining({ type: 'photo', filename: 'b.png' })]],
      [album, '', [expect.objectContaining({ type: 'video', filename: 'c.mp4', size: 4 })]],
      [album, '', [{ type: 'photo', filename: 'd.jpg', url: 'https://example.com/d.jpg' }]],
      [album, '', [expect.objectContaining({ type: 'photo', filename: 'a.png' })]],
    ]);
  });

  it('edits text, keyboard, caption and media, and deletes', async () => {
    const { api, clock } = sandbox;
    const keyboard = new InlineKeyboard().text('Go', 'go');
    const text = await api.sendMessage(group, 'one', { reply_markup: keyboard });
    clock.advance(5000);
    await api.editMessageText(group, text.message_id, 'two', { reply_markup: keyboard });
    await api.editMessageReplyMarkup(group, text.message_id);
    const photo = await api.sendPhoto(group, 'https://example.com/a.jpg', { caption: 'one' });
    await api.editMessageCaption(group, photo.message_id, { caption: 'two' });
    const edited = await api.editMessageMedia(group, photo.message_id, {
      type: 'document',
      media: new InputFile(Buffer.from('%PDF'), 'b.pdf'),
      caption: 'three',
    });
    expect(edited).toMatchObject({ edit_date: clock.now() / 1000, caption: 'three' });
    expect(sandbox.posts(group)).toMatchObject([
      { text: 'two', buttons: [], editedAt: '2026-01-01T00:00:05.000Z' },
      { text: 'three', media: [{ type: 'document', filename: 'b.pdf' }] },
    ]);
    await api.deleteMessage(group, text.message_id);
    await api.deleteMessages(group, [photo.message_id, 999_999]);
    expect(sandbox.posts(group)).toEqual([]);
  });

  it('finds a file and downloads it', async () => {
    const bytes = Buffer.from('a small text');
    const sent = await sandbox.api.sendDocument(user, new InputFile(bytes, 'note.txt'));
    const file = await sandbox.api.getFile(sent.document.file_id);
    expect(file).toMatchObject({ file_size: 12, file_path: 'documents/file_0.txt' });
    const download = await fetch(`${sandbox.url}/file/bot${token}/${file.file_path}`);
    expect(Buffer.from(await download.arrayBuffer())).toEqual(bytes);
  });

  it('hears the wait of a 429', async () => {
    sandbox.faults.add({ kind: 'rate_limited', retryAfter: 17, times: 1 });
    const refused = await sandbox.api.sendMessage(user, 'x').catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(GrammyError);
    expect(refused).toMatchObject({ error_code: 429, parameters: { retry_after: 17 } });
  });

  it('hears where a group has gone', async () => {
    sandbox.order('migrate', { chat: group });
    const refused = await sandbox.api.sendMessage(group, 'x').catch((error: unknown) => error);
    expect(refused).toMatchObject({
      error_code: 400,
      parameters: { migrate_to_chat_id: -1_000_000_000_077 },
    });
    const sent = await sandbox.api.sendMessage(-1_000_000_000_077, 'x');
    expect(sent.chat).toMatchObject({ type: 'supergroup', title: 'Neighbours' });
  });

  it('tells a page of the edge from an answer', async () => {
    sandbox.faults.add({ kind: 'html', times: 1 });
    await expect(sandbox.api.sendMessage(user, 'x')).rejects.toBeInstanceOf(HttpError);
  });
});

describe('a bot of grammY', () => {
  let site: Server;
  let address: string;
  let bot: Bot;

  beforeEach(async () => {
    bot = new Bot(token, { client: { apiRoot: sandbox.url } });
    await bot.init();
    const handle = webhookCallback(bot, 'http', { secretToken: 'hush-hush' });
    site = createServer((message, response) => {
      handle(message, response).catch(() => response.writeHead(500).end());
    });
    address = await listen(site);
  });

  afterEach(() => closeServer(site));

  it('answers on a webhook with a secret, and takes presses', async () => {
    const answered = new Promise<string | undefined>((resolve) => {
      bot.command('start', (context) =>
        context.reply('Choose', { reply_markup: new InlineKeyboard().text('Yes', 'yes') }),
      );
      bot.on('message:text', (context) => context.reply(`You said ${context.msg.text}`));
      bot.callbackQuery('yes', async (context) => {
        await context.answerCallbackQuery('Noted');
        await context.editMessageText('Thank you');
        resolve(context.callbackQuery.data);
      });
    });
    await bot.api.setWebhook(`${address}/hook`, { secret_token: 'hush-hush' });
    const replied = seen(2);
    sandbox.order('say', { chat: user, text: '/start' });
    await replied;
    const [, choice] = sandbox.posts(user);
    sandbox.order('press', { chat: user, message_id: Number(choice?.id), button: 'Yes' });
    expect(await answered).toBe('yes');
    expect(sandbox.posts(user).map((post) => [post.from, post.text])).toEqual([
      ['Anna', '/start'],
      ['first_bot', 'Thank you'],
    ]);
  });

  it('polls for updates until it is stopped', async () => {
    const poller = new Bot(token, { client: { apiRoot: sandbox.url } });
    const heard = new Promise<string>((resolve) => {
      poller.on('channel_post:text', (context) => resolve(context.channelPost.text));
    });
    const running = poller.start();
    sandbox.order('say', { chat: channel, text: 'a post' });
    expect(await heard).toBe('a post');
    await poller.stop();
    await running;
  });

  /** Resolves when the chat of the user shows so many posts. */
  function seen(count: number): Promise<void> {
    return new Promise((resolve) => {
      site.on('request', (_message, response) =>
        response.on('finish', () => {
          if (sandbox.posts(user).length >= count) resolve();
        }),
      );
    });
  }
});
