import { domainToASCII } from 'node:url';
import { beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { claimDeliveries } from '../../src/db/claim.ts';
import { commitOutcomes } from '../../src/db/commit.ts';
import { eraseContact } from '../../src/db/privacy.ts';
import { queryRow, queryRows } from '../../src/db/query-rows.ts';
import {
  addChannel,
  addDelivery,
  addMessage,
  addWorkspace,
  start,
} from '../support/database/seed.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import { sendAll, take } from '../support/posts/intake.ts';

// What erasing a contact finds, what it leaves, and what it says.

const database = await useDatabase();
const { admin, service } = database;
let count = 0;
let workspaceId: string;

beforeEach(async () => {
  count += 1;
  workspaceId = `w${count}`;
  await addWorkspace(admin, workspaceId);
  await addChannel(admin, workspaceId, 'news');
});

async function erasedText(text: string, contact: string): Promise<string> {
  const row = z.object({ text: z.string() });
  const sql = 'select outrider.erase_text($1, outrider.contact_pattern($2)) as text';
  return (await queryRow(admin, row, sql, [text, contact])).text;
}

async function erasedJson(value: unknown, contact: string): Promise<unknown> {
  const row = z.object({ value: z.unknown() });
  const sql = 'select outrider.erase_json($1::jsonb, outrider.contact_pattern($2)) as value';
  return (await queryRow(admin, row, sql, [JSON.stringify(value), contact])).value;
}

describe('a phone number', () => {
  const spellings = [
    '+79161234567',
    '+7 916 123-45-67',
    '8 (916) 123-45-67',
    '8-916-123-45-67',
    '8,916,123,45,67',
    "8'916'123:45:67",
    '9161234567',
    '0079161234567',
    '+7\u00a0916\u00a0123\u201145\u201167',
    String.raw`\+7 \(916\) 123\-45\-67`,
    '7.916.123.45.67',
    '+7 916 123\u221245\u221267',
    '+7&#160;916&nbsp;123&minus;45&#8211;67',
    '＋７９１６１２３４５６７',
    '８（９１６）１２３－４５－６７',
    '%EF%BC%8B%EF%BC%97916123%EF%BC%94567',
    '8&#57;16&thinsp;123&#x2013;45&#x2D;&#x36;7',
    '8 916 ||123|| `45` "6"7',
    '8·916•123|45;67',
    '8 &lt;b&gt;916&lt;/b&gt; 123 &lt;a href=&quot;x&quot;&gt;45 67',
    '8\u00ad916\u200e123\ufeff45\u206967',
    '8\ufe0f\u20e3916\u000112345[67',
  ];

  it.each(
    spellings.flatMap((one) =>
      ['89161234567', '+7 (916) 123 45 67', '＋７９１６１２３４５６７'].map((as) => [one, as]),
    ),
  )('is found as %j when it is given as %s', async (spelling = '', contact = '') => {
    const text = await erasedText(`Lost dog. Call ${spelling}, please`, contact);
    expect(text).toMatch(/^Lost dog\. Call [\\(]*erased, please$/);
    const value = { a: [`\n${spelling}\n`], [spelling]: 1 };
    expect(JSON.stringify(await erasedJson(value, contact))).not.toMatch(/45|４５|94567/);
  });

  it('is found in addresses, next to itself, and as a number', async () => {
    expect(await erasedText('tel:+79161234567', '89161234567')).toBe('tel:erased');
    expect(await erasedText('?a=%2079161234567&b=%2B79161234567', '89161234567')).not.toContain(
      '916',
    );
    expect(await erasedText('79161234567 79161234567,89161234567', '89161234567')).toBe(
      'erased erased,erased',
    );
    expect(await erasedJson({ phone: 79_161_234_567, n: 5 }, '89161234567')).toEqual({
      phone: 'erased',
      n: 5,
    });
  });

  it('is found with tags inside, which stay in their order', async () => {
    expect(await erasedText('<i>8 916 <b>123</b>-45-67</i>, 89161234567', '89161234567')).toBe(
      '<i>erased<b></b></i>, erased',
    );
    expect(
      await erasedText(
        '8 916 <span class="tg-spoiler">123</span><br/><a href="tel:+79161234567">45-67</a>',
        '89161234567',
      ),
    ).toBe('erased<span class="tg-spoiler"></span><br/><a href="tel:erased"></a>');
    expect(await erasedText('8 916 <b>123-45-67</b>!', '89161234567')).toBe('erased<b></b>!');
  });

  it.each(['+7 916 123-45-68', '179161234567', '791612345678', '9161234', '-1009161234567890'])(
    'is not %s',
    async (other) => {
      expect(await erasedText(`x ${other} y`, '+7 916 123-45-67')).toBe(`x ${other} y`);
    },
  );

  it('of another country is found with all its digits', async () => {
    expect(await erasedText('call +1 (202) 555-0143 now', '+12025550143')).toBe('call erased now');
    expect(await erasedText('call 0044 20 7946 0000', '+44 20 7946 0000')).toBe(
      'call 0044 20 7946 0000',
    );
  });
});

describe('an e-mail address', () => {
  it.each([
    ['write to Ann.Lee@Example.com, please', 'write to erased, please'],
    ['mailto:ann.lee@example.com?subject=dog', 'mailto:erased?subject=dog'],
    [String.raw`_ann\.lee@example\.com_`, '_erased_'],
    ['a=ann.lee%40example.com&b', 'a=erased&b'],
    ['&#97;&#x4E;n&period;lee&commat;example.com', 'erased'],
    ['<ann.lee@example.com>', '<erased>'],
    ['ann.lee@example.com.Пишите', 'erased.Пишите'],
  ])('is found in %j', async (text, becomes) => {
    expect(await erasedText(text, 'ann.lee@example.com')).toBe(becomes);
  });

  const wire = 'почта@xn--e1afmkfd.xn--p1ai';

  it.each(
    [
      'пишите на почта@пример.рф!',
      'пишите на Почта@Пример.РФ!',
      `пишите на ${wire}!`,
      'пишите на почта@XN--E1AFMKFD.рф!',
      'пишите на %D0%BF%D0%BE%D1%87%D1%82%D0%B0%40xn--e1afmkfd.xn--p1ai!',
      'пишите на %d0%9f%d0%be%d1%87%d1%82%d0%b0@%d0%bf%d1%80%d0%b8%d0%bc%d0%b5%d1%80.%d1%80%d1%84!',
      'пишите на &#1087;&#x43E;чта&#64;пример&#46;рф!',
      'пишите на почта＠пример．рф!',
    ].flatMap((text) => ['почта@пример.рф', wire].map((contact) => ({ text, contact }))),
  )('in Cyrillic is found in $text when it is given as $contact', async ({ text, contact }) => {
    expect(await erasedText(text, contact)).toBe('пишите на erased!');
    expect(await erasedJson([text], contact)).toEqual(['пишите на erased!']);
  });

  it('has a domain as the wire has it, and the other way round', async () => {
    const domains = ['пример', 'рф', 'bücher', 'münchen-ost', '点看', 'ελληνικά', 'a'];
    const rows = await queryRows(
      admin,
      z.object({ label: z.string(), sent: z.string(), back: z.string() }),
      `select l.label, outrider.punycode(l.label) as sent, outrider.unpunycode(outrider.punycode(l.label)) as back
       from unnest($1::text[]) as l (label)`,
      [domains],
    );
    expect(rows).toEqual(
      domains.map((label) => ({ label, sent: domainToASCII(label), back: label })),
    );
  });

  it.each(['xn--', 'xn--ü', 'xn--999999999', 'xn--a-', 'xn--zzzz99999999999999'])(
    'may have %s as a label, which is no punycode',
    async (label) => {
      expect(await erasedText(`to ann@${label}.com!`, `ann@${label}.com`)).toBe('to erased!');
    },
  );

  it('is found in a text of a megabyte that is made of its letters', async () => {
    const contact = `${'а'.repeat(60)}@${'ж'.repeat(50)}.рф`;
    const hostile = '%D0%B0'.repeat(170_000);
    expect(await erasedText(`${hostile} ${contact}`, contact)).toBe(`${hostile} erased`);
  });

  it.each(['joann.lee@example.com', 'ann-lee@example.com', 'x.ann.lee@example.com'])(
    'is not %s',
    async (other) => {
      expect(await erasedText(other, 'ann.lee@example.com')).toBe(other);
    },
  );
});

describe('an account', () => {
  it.each([
    ['by @Anna_K!', 'by erased!'],
    ['https://t.me/anna_k', 'https://t.me/erased'],
    [String.raw`by @anna\_k`, 'by erased'],
    ['anna_k', 'erased'],
    ['Анна (@anna_k)', 'Анна (erased)'],
  ])('is found in %j', async (text, becomes) => {
    expect(await erasedText(text, '@anna_k')).toBe(becomes);
  });

  it.each([
    ['https://vk.com/%D0%B0%D0%BD%D0%BD%D0%B0', 'https://vk.com/erased'],
    ['?by=%40%D0%90%D0%BD%D0%BD%D0%B0&x', '?by=erased&x'],
    ['%D0%96%D0%B0%D0%BD%D0%BD%D0%B0', '%D0%96%D0%B0%D0%BD%D0%BD%D0%B0'],
    ['%D0%B0%D0%BD%D0%BD%D0%B0%D0%BC', '%D0%B0%D0%BD%D0%BD%D0%B0%D0%BC'],
  ])('in Cyrillic is looked for in %j', async (text, becomes) => {
    expect(await erasedText(text, 'анна')).toBe(becomes);
  });

  it.each(['anna_ka', 'joanna_k', 'anna_k2', 'аanna_k'])('is not %s', async (other) => {
    expect(await erasedText(other, '@anna_k')).toBe(other);
  });

  it.each(['', 'ab', 'two words', 'x'.repeat(65)])('is not %j', async (contact) => {
    const order = { workspaceId, operator: 'ann', reason: 'asked for' };
    await expect(eraseContact(service, { ...order, contact }, start)).rejects.toMatchObject({
      sqlstate: 'OR001',
      message: expect.stringContaining('contact'),
    });
  });
});

describe('erasing', () => {
  const contact = '+7 916 123-45-67';
  const spelled = '8 (916) 123-45-67';
  const order = { operator: 'ann', reason: `asked for by ${contact}` };

  async function furnish(): Promise<void> {
    const message_id = await addMessage(admin, workspaceId, {
      payload: JSON.stringify({ type: 'text', text: `Call ${spelled}` }),
      source: JSON.stringify({ by: spelled }),
      source_ref: `post of ${spelled}`,
      tags: ['89161234567', 'dog'],
    });
    const text = { message_id, rendered_text: `Call ${spelled}` };
    const deliveryId = await addDelivery(admin, workspaceId, 'news', {
      ...text,
      render_meta: JSON.stringify({ buttons: [[{ text: 'call', url: 'tel:+79161234567' }]] }),
      last_error: JSON.stringify({ message: spelled }),
    });
    const claim = { workspaceId, runId: 'run', limit: 1 };
    const [{ claimToken } = { claimToken: '' }] = await claimDeliveries(service, claim, start);
    const parts = ['916123', '916124'].map((providerMessageId, item) => ({
      item,
      providerMessageId,
    }));
    const sent = { deliveryId, claimToken, ok: true, providerMessageId: '916123', parts } as const;
    await commitOutcomes(service, workspaceId, [sent], start);
    await addDelivery(admin, workspaceId, 'news', { ...text, occurrence: 2 });
    await addDelivery(admin, workspaceId, 'news');
  }

  it('takes it out of messages and deliveries, and lists the posts that stand in chats', async () => {
    await furnish();
    const done = await eraseContact(service, { workspaceId, contact, ...order }, start);
    expect(done.counts).toMatchObject({
      messages: 1,
      deliveries: 2,
      waiting: 1,
      posts_in_chats: 1,
    });
    expect(done.posts).toMatchObject([
      { channelId: 'news', providerMessageIds: ['916123', '916124'] },
    ]);
    const [message] = await queryRows(
      admin,
      z.object({
        payload: z.unknown(),
        source: z.unknown(),
        source_ref: z.null(),
        tags: z.unknown(),
      }),
      `select payload, source, source_ref, tags from outrider.messages
       where workspace_id = $1 and payload ->> 'text' like 'Call%'`,
      [workspaceId],
    );
    expect(message).toEqual({
      payload: { type: 'text', text: 'Call erased' },
      source: { by: 'erased' },
      source_ref: null,
      tags: ['erased', 'dog'],
    });
    const deliveries = await queryRows(
      admin,
      z.object({ rendered_text: z.string(), render_meta: z.unknown() }),
      `select rendered_text, render_meta from outrider.deliveries
       where workspace_id = $1 and message_id = any (select message_id from outrider.messages where tags <> '{}')
       order by occurrence desc`,
      [workspaceId],
    );
    expect(deliveries).toEqual([
      { rendered_text: 'Call erased', render_meta: {} },
      {
        rendered_text: 'Call erased',
        render_meta: {
          buttons: [[{ text: 'call', url: 'tel:erased' }]],
          series_progress: { sent_items: [0, 1], provider_message_ids: ['916123', '916124'] },
        },
      },
    ]);
  });

  it('lists posts of which a part stands in a chat, and those of which nobody knows whether they do', async () => {
    const text = { rendered_text: `Call ${spelled}` };
    const progress = { sent_items: [0], provider_message_ids: ['916123'] };
    await addDelivery(admin, workspaceId, 'news', text);
    await addDelivery(admin, workspaceId, 'news', { ...text, outcome_unknown: true });
    await addDelivery(admin, workspaceId, 'news', {
      ...text,
      render_meta: JSON.stringify({ series_progress: progress }),
    });
    const { counts, posts } = await eraseContact(
      service,
      { workspaceId, contact, ...order },
      start,
    );
    expect(counts).toMatchObject({ deliveries: 3, waiting: 3, posts_in_chats: 2 });
    expect(posts.map(({ providerMessageIds, sentAt }) => ({ providerMessageIds, sentAt }))).toEqual(
      expect.arrayContaining([
        { providerMessageIds: [], sentAt: null },
        { providerMessageIds: ['916123'], sentAt: null },
      ]),
    );
  });

  it('takes it out of alerts, of the messages about them and of silences', async () => {
    await admin.query(
      `with target as (
         insert into outrider.alert_targets (workspace_id, alert_target_id, kind, created_at, updated_at)
         values ($1, 'log', 'log', $3, $3)
       ), silence as (
         insert into outrider.alert_silences (workspace_id, matches, until, operator, reason, created_at)
         values ($1, 'dead_letters', 'infinity', 'ann', $2, $3)
       )
       insert into outrider.alerts
         (workspace_id, alert_id, kind, fingerprint, severity, summary, detail, opened_at, seen_at,
          acknowledged_at, acknowledged_by, acknowledged_because)
       values ($1, gen_random_uuid(), 'dead_letters', 'dead_letters', 'warning', $2, jsonb_build_object('said', $2::text), $3, $3,
         $3, 'ann', $2)`,
      [workspaceId, spelled, start],
    );
    await admin.query(
      `insert into outrider.alert_notifications
         (workspace_id, notification_id, alert_target_id, next_try_at, created_at, changes, subject, body)
       values ($1, gen_random_uuid(), 'log', $3, $3, jsonb_build_array($2::text), $2, $2)`,
      [workspaceId, spelled, start],
    );
    const { counts } = await eraseContact(service, { workspaceId, contact, ...order }, start);
    expect(counts).toMatchObject({ alerts: 3 });
    const { rows } = await admin.query(
      `select a::text from outrider.alerts a where workspace_id = $1
       union all select n::text from outrider.alert_notifications n where workspace_id = $1
       union all select s::text from outrider.alert_silences s where workspace_id = $1`,
      [workspaceId],
    );
    expect(rows).toHaveLength(3);
    expect(JSON.stringify(rows)).not.toContain('123-45-67');
  });

  it('is on record without the contact', async () => {
    await furnish();
    await eraseContact(service, { workspaceId, contact, ...order }, start);
    const [event] = await queryRows(
      admin,
      z.object({ meta: z.unknown() }),
      `select meta from outrider.events where workspace_id = $1 and action = 'contact_erased'`,
      [workspaceId],
    );
    expect(event?.meta).toMatchObject({
      operator: 'ann',
      reason: 'asked for by erased',
      erased: { messages: 1, deliveries: 2 },
    });
  });

  it('counts the same in a dry run, and changes nothing', async () => {
    await furnish();
    const before = await everything();
    const dry = await eraseContact(
      service,
      { workspaceId, contact, ...order, dryRun: true },
      start,
    );
    expect(await everything()).toEqual(before);
    const done = await eraseContact(service, { workspaceId, contact, ...order }, start);
    expect(done.counts).toEqual(dry.counts);
    const again = await eraseContact(service, { workspaceId, contact, ...order }, start);
    expect(Object.values(again.counts).every((rows) => rows === 0)).toBe(true);
  });

  it('stays in its workspace', async () => {
    await furnish();
    const before = await everything();
    await addWorkspace(admin, `other-${workspaceId}`);
    const other = { workspaceId: `other-${workspaceId}`, contact, ...order };
    const { counts } = await eraseContact(service, other, start);
    expect(Object.values(counts).every((rows) => rows === 0)).toBe(true);
    expect(await everything()).toEqual(before);
  });

  async function everything(): Promise<unknown> {
    const { rows } = await admin.query(
      `select m::text from outrider.messages m where workspace_id = $1
       union all select d::text from outrider.deliveries d where workspace_id = $1
       union all select e::text from outrider.event_log e where workspace_id = $1 order by 1`,
      [workspaceId],
    );
    return rows;
  }

  it('lets the same post, sent again, go out as it came', async () => {
    const post = { text: 'Call Anna 8 903 999-88-77 today', source: { by: '8 903 999-88-77' } };
    await take(service, workspaceId, post);
    await sendAll(service, workspaceId);
    const request = { workspaceId, contact: '89039998877', operator: 'ann', reason: 'asked for' };
    await eraseContact(service, request, start);
    const kept = async () =>
      queryRow(
        admin,
        z.object({ text: z.string(), source: z.unknown(), erased: z.boolean() }),
        `select payload ->> 'text' as text, source, erased_at is not null as erased
         from outrider.messages where workspace_id = $1`,
        [workspaceId],
      );
    expect(await kept()).toMatchObject({ text: 'Call Anna erased today', erased: true });

    await addChannel(admin, workspaceId, 'more');
    await take(service, workspaceId, post);
    expect(await kept()).toEqual({ ...post, erased: false });
    const rows = await queryRows(
      admin,
      z.object({ rendered_text: z.string() }),
      `select rendered_text from outrider.deliveries where workspace_id = $1 and channel_id = 'more'`,
      [workspaceId],
    );
    expect(rows).toEqual([{ rendered_text: expect.stringContaining('8 903 999-88-77') }]);
  });

  it.each([
    ['a&b@mail.ru', 'a&amp;b@mail.ru'],
    ["o'neil@mail.ru", 'o&#39;neil@mail.ru'],
    ["o'neil@mail.ru", 'o&#x27;neil&#64;mail.ru'],
  ])('finds %s as HTML has it', async (address, text) => {
    expect(await erasedText(`Write to ${text}!`, address)).toBe('Write to erased!');
  });

  it('deletes a silence that is named by it', async () => {
    await admin.query(
      `insert into outrider.alert_silences (workspace_id, matches, until, operator, reason, created_at)
       select $1, m, $2::timestamptz + interval '1 day', 'ann', 'known', $2
       from unnest('{dead_letters,channel_disabled:89039998877}'::text[]) m`,
      [workspaceId, start],
    );
    const request = { workspaceId, contact: '89039998877', operator: 'ann', reason: 'asked for' };
    expect((await eraseContact(service, request, start)).counts).toMatchObject({ alerts: 1 });
    const rows = await queryRows(
      admin,
      z.object({ matches: z.string() }),
      'select matches from outrider.alert_silences where workspace_id = $1',
      [workspaceId],
    );
    expect(rows).toEqual([{ matches: 'dead_letters' }]);
  });
});
