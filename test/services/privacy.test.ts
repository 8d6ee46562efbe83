import { randomBytes } from 'node:crypto';
import { mkdir, readdir } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { z } from 'zod';
import { type Clock, systemClock } from '../../src/clock.ts';
import { listPayloads } from '../../src/db/payloads.ts';
import { eraseContact } from '../../src/db/privacy.ts';
import { queryRows } from '../../src/db/query-rows.ts';
import { createLog } from '../../src/log.ts';
import { folderStore } from '../../src/media/folder-store.ts';
import { type Outrider, openOutrider } from '../../src/outrider.ts';
import { parsePayloadKeys } from '../../src/payloads/keys.ts';
import { createPayloadStore } from '../../src/payloads/payload-store.ts';
import { type Ended, runOutrider } from '../support/cli/run-outrider.ts';
import { tables } from '../support/database/catalogue.ts';
import { addChannel, addWorkspace, start } from '../support/database/seed.ts';
import { addressOf } from '../support/database/test-database.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import { useFolder } from '../support/fixtures/folder.ts';
import { send } from '../support/http/ingest.ts';
import { addEndpoint } from '../support/posts/intake.ts';
import { answersOfChats, startEchoingPlatform } from '../support/sandbox/echoing-platform.ts';

// Five hundred posts full of personal data and secrets, through every outcome, on a platform that repeats them in its
// answers: what is left of them in events, logs and errors; who can read the raw payloads; and what an erasing leaves.

const count = 500;
const few = 5;
const workspaceId = 'city';
const keys = `k1:${randomBytes(32).toString('base64')}`;
const chats = Object.keys(answersOfChats);

const person = { phone: '+7 916 777-66-55', email: 'Anna.K@Example.com', account: '@anna_k' };
const spellings = ['8 (916) 777-66-55', '+79167776655', '9167776655', '7-916-777-66-55'];

interface Planted {
  readonly phone: string;
  readonly email: string;
  readonly token: string;
  readonly header: string;
}

function plantedIn(n: number): Planted {
  const digits = String(n).padStart(4, '0');
  return {
    phone: `+7 (999) ${digits.slice(0, 3)}-${digits.slice(3)}1-23`,
    email: `someone.${digits}@example.com`,
    token: `1234567890:AAH${digits}vGWJxfSeofSAs0K5PALDsaw1abcd`,
    header: `c0ffee${digits}5aa765d61d8327deb882cf99`,
  };
}

/** Every eleventh post is about the one person: some in each chat, also in one whose posts wait for a credential. */
function postOf(n: number): { text: string; tags: string[] } {
  const { phone, email, token, header } = plantedIn(n);
  const about =
    n % 11 === 0
      ? ` Ask ${spellings[(n / 11) % spellings.length]}, anna.k@example.com or @anna_k.`
      : '';
  const secrets = `bot${token}/getMe, Authorization: Bearer ${header}`;
  const tags = [`chat${n % chats.length}`];
  return { text: `Lost dog ${n}. Call ${phone} or write to ${email}; ${secrets}.${about}`, tags };
}

const database = await useDatabase();
const folder = await useFolder();
let platform: Awaited<ReturnType<typeof startEchoingPlatform>>;
let outrider: Outrider;
/** An answer that is not kept within two seconds is left out. Here its time is a minute: a machine may pause. */
const patient: Clock = {
  now: () => systemClock.now(),
  after: (ms, run) => systemClock.after(30 * ms, run),
};
const lines: string[] = [];
const answers: { n: number; status: number; body: string }[] = [];

beforeAll(async () => {
  platform = await startEchoingPlatform();
  await furnish();
  outrider = await openOutrider(
    {
      databaseUrl: database.url,
      apiUrls: { telegram: platform.url },
      http: { port: 0 },
      dataDir: folder,
      concurrency: 10,
      payloadKeyRef: 'env:KEYS',
      secrets: {
        KEYS: keys,
        ...Object.fromEntries(chats.map((_, n) => [`BOT_${n}`, `42${n}:AAcanary_${n}`])),
      },
    },
    {
      log: createLog({ level: 'debug', pretty: false, write: (line) => lines.push(line) }),
      clock: patient,
    },
  );
  await outrider.start(['ingest', 'dispatch', 'upkeep']);
  // A few at a time: what comes while many are being written is left out.
  for (let sent = 0; sent < count; sent += few) {
    await Promise.all(Array.from({ length: few }, (_, n) => push(sent + n)));
    const isKept = async () => expect(await refs('request')).toHaveLength(sent + few);
    await vi.waitFor(isKept, { timeout: 30_000, interval: 5 });
  }
  await settled();
});

afterAll(async () => {
  await outrider.stop();
  await platform.close();
});

async function furnish(): Promise<void> {
  const { admin } = database;
  await addWorkspace(admin, workspaceId, { max_attempts: 1, keep_payloads: 'all' });
  await addEndpoint(admin, workspaceId, 'secret', { ingress_rps: 100_000 });
  for (const [n, target_id] of chats.entries()) {
    await admin.query(
      `insert into outrider.credential_bindings (workspace_id, auth_ref, platform, secret_ref, updated_at)
       values ($1, $2, 'telegram', $3, $4)`,
      [workspaceId, `bot${n}`, `env:BOT_${n}`, start],
    );
    const route_filter = JSON.stringify({ include_any: [`chat${n}`] });
    const own = { target_id, auth_ref: `bot${n}`, rate_group: `bot${n}`, route_filter };
    await addChannel(admin, workspaceId, `chat${n}`, own);
  }
}

/** Every eleventh is refused at the door: broken, no post, or with a text that is a number. */
async function push(n: number): Promise<void> {
  const post = postOf(n);
  const broken = [
    `{"text": "${post.text}"`,
    JSON.stringify([post]),
    JSON.stringify({ ...post, text: 7, title: post.text }),
  ];
  const given = n % 11 === 5 ? (broken[n % broken.length] ?? '') : JSON.stringify(post);
  const { status, body } = await send({ url: outrider.url ?? '' }, 'secret', given);
  answers.push({ n, status, body: JSON.stringify(body) });
}

/** The chats that answer for good are done; the others are stopped, and their posts wait. */
async function settled(): Promise<void> {
  await vi.waitFor(async () => {
    const rows = await queryRows(
      database.admin,
      z.object({ channel_id: z.string(), status: z.string(), count: z.string() }),
      `select channel_id, status::text, count(*) from outrider.deliveries group by channel_id, status`,
    );
    const open = rows.filter(
      (row) =>
        row.status === 'sending' ||
        (['queued', 'claimed', 'retry'].includes(row.status) &&
          ['chat0', 'chat1', 'chat4', 'chat5', 'chat6'].includes(row.channel_id)),
    );
    expect(open).toEqual([]);
    const kept = await refs('request');
    expect(kept).toHaveLength(count);
  }, 60_000);
}

async function refs(kind: 'request' | 'answer'): Promise<string[]> {
  const rows = await queryRows(
    database.admin,
    z.object({ payload_ref: z.string() }),
    'select payload_ref from outrider.raw_payloads where kind = $1 order by created_at',
    [kind],
  );
  return rows.map((row) => row.payload_ref);
}

let opened: Promise<Map<string, string>> | undefined;

/** All raw payloads, decrypted, by their names. */
function decrypted(): Promise<Map<string, string>> {
  opened ??= openAll();
  return opened;
}

async function openAll(): Promise<Map<string, string>> {
  const store = createPayloadStore(
    folderStore(path.join(folder, 'media', 'payloads')),
    parsePayloadKeys(keys),
  );
  const all = new Map<string, string>();
  let after: string | undefined;
  for (;;) {
    const page = await listPayloads(database.service, { workspaceId, after, limit: 1000 });
    for (const { payloadRef, objectUrl } of page) {
      const object = await store.open({ workspaceId, payloadRef }, objectUrl);
      expect(object).toMatchObject({ ok: true });
      if (object?.ok === true) all.set(payloadRef, object.bytes.toString('utf8'));
    }
    after = page.at(-1)?.payloadRef;
    if (after === undefined) return all;
  }
}

const forms = [
  /\+7 \(999\) \d{3}-\d\d-\d\d/g,
  // Not within an id.
  /(?<![\da-f-])7999\d{7}(?![\da-f-])/g,
  /someone\.\d{4}@example\.com/gi,
  /1234567890:AAH\d{4}vGWJxfSeofSAs0K5PALDsaw1abcd/g,
  /c0ffee\d{4}5aa765d61d8327deb882cf99/g,
];

/** What of the planted data stands in some texts, however each of them escapes it. */
function found(texts: readonly string[]): string[] {
  const all = texts.map((text) => text.replaceAll('\\', '')).join('\n');
  return [...new Set(forms.flatMap((form) => all.match(form) ?? []))];
}

async function rowsOf(sql: string): Promise<string[]> {
  const rows = await queryRows(database.admin, z.object({ row: z.string() }), sql);
  return rows.map((each) => each.row);
}

function cli(
  args: readonly string[],
  databaseUrl = database.url,
  other: Readonly<Record<string, string>> = {},
): Promise<Ended> {
  const own = { OUTRIDER_DATA_DIR: folder, OUTRIDER_PAYLOAD_KEY_REF: 'env:KEYS', KEYS: keys };
  const env = { ...own, ...other };
  return runOutrider([...args, '--workspace', workspaceId], { databaseUrl, env });
}

describe('personal data and secrets in five hundred posts', () => {
  it('meet every outcome', async () => {
    const rows = await queryRows(
      database.admin,
      z.object({ channel_id: z.string(), codes: z.array(z.string().nullable()) }),
      `select channel_id, array_agg(distinct coalesce(last_error ->> 'code', status::text)) as codes
       from outrider.deliveries where attempt > 0 group by channel_id order by channel_id`,
    );
    expect(rows.map((row) => row.codes.join())).toEqual([
      'sent',
      'validation_failed',
      'not_allowed',
      'rate_limited',
      'outcome_unknown',
      'outcome_unknown',
      'outcome_unknown',
      'credential_refused',
    ]);
    expect(answers.filter(({ status }) => status >= 400).length).toBeGreaterThan(40);
  });

  it('are in no event, no error that is kept, and no record of a run', async () => {
    const kept = await rowsOf(
      `select e::text as row from outrider.event_log e
       union all select last_error::text from outrider.deliveries where last_error is not null
       union all select stopped_because::text from outrider.channels where stopped_because is not null
       union all select last_error::text from outrider.platform_limits where last_error is not null
       union all select r::text from outrider.ingest_runs r`,
    );
    expect(kept.length).toBeGreaterThan(count);
    expect(kept.join('')).toContain('[phone]');
    expect(found(kept)).toEqual([]);
  });

  it('are in no line of the log, at any level', () => {
    const levels = new Set(
      lines.map((line) => z.object({ level: z.string() }).parse(JSON.parse(line)).level),
    );
    expect([...levels].toSorted()).toEqual(expect.arrayContaining(['debug', 'info', 'warn']));
    expect(lines.length).toBeGreaterThan(count);
    expect(found(lines)).toEqual([]);
  });

  it('are in no answer to a sender that says why a post was refused', () => {
    const refusals = answers.filter(({ status }) => status >= 400);
    expect(found(refusals.map(({ body }) => body))).toEqual([]);
  });

  it('are in no file as they are', async () => {
    const files = await readdir(path.join(folder, 'media/payloads'), { recursive: true });
    expect(files.length).toBeGreaterThan(count);
  });
});

describe('the raw payloads', () => {
  it('hold each request as it came, but for its secret', async () => {
    const all = await decrypted();
    const requests = (await refs('request')).map((ref) => all.get(ref) ?? '');
    expect(found(requests)).toHaveLength(4 * count);
    for (const each of requests) expect(each).toMatch(/^POST \/v1\/ingest HTTP\/1\.1\r\n/);
    expect(requests.join('')).not.toContain('Bearer secret');
  });

  it('hold each answer that came, and its event names it', async () => {
    const all = await decrypted();
    const rows = await queryRows(
      database.admin,
      z.object({ ref: z.string().nullable(), text: z.string(), channel_id: z.string() }),
      `select e.payload_ref as ref, d.rendered_text as text, d.channel_id
       from outrider.events e join outrider.deliveries d using (workspace_id, delivery_id)
       where e.action in ('sent', 'failed_permanent', 'retry_scheduled', 'dead_letter') and d.channel_id <> 'chat6'`,
    );
    expect(rows.length).toBeGreaterThan(200);
    for (const { ref, text } of rows) {
      expect(all.get(ref ?? '')?.replaceAll('\\', '')).toContain(text);
    }
    const pages = rows.filter((row) => row.channel_id === 'chat4');
    expect(all.get(pages[0]?.ref ?? '')).toMatch(
      /^HTTP\/1\.1 502\r\n(.+\r\n)*x-debug: token=0123456789abcdef\r\n/,
    );
    expect([...all.values()].join('')).not.toContain('AAcanary');
  });

  it('are shown to a privileged login, with a reason, and that is on record', async () => {
    const [ref = ''] = await refs('answer');
    const shown = await cli(['payload', 'show', ref, '--reason', 'who is +7 999 000-00-00?']);
    expect(shown).toMatchObject({ code: 0, err: '', out: (await decrypted()).get(ref) });
    const reads = await rowsOf(
      'select (to_jsonb(r) - $$read_at$$)::text as row from outrider.payload_reads r',
    );
    expect(reads.map((row): unknown => JSON.parse(row))).toMatchObject([
      {
        workspace_id: workspaceId,
        payload_ref: ref,
        reading: 'command',
        reason: 'who is [phone]?',
      },
    ]);
  });

  it('are refused in words to the login of the services', async () => {
    const [ref = ''] = await refs('answer');
    const { serviceLogin, servicePassword } = inject('postgres');
    const service = addressOf(database.url, database.name, serviceLogin, servicePassword);
    expect(await cli(['payload', 'show', ref, '--reason', 'why'], service)).toEqual({
      code: 1,
      out: '',
      err: expect.stringMatching(
        /^outrider payload: the login \w+ may not read raw payloads\n {2}let an administrator run: grant outrider_privileged to/,
      ),
    });
  });

  it('can be read by a link, which ends', async () => {
    const [ref = ''] = await refs('answer');
    const url = outrider.url ?? '';
    const made = await cli([
      'payload',
      'link',
      ref,
      '--reason',
      'for Bob',
      '--url',
      url,
      '--for',
      '5m',
    ]);
    expect(made).toMatchObject({ code: 0, err: '' });
    const link = made.out.trim();
    const response = await fetch(link);
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(await response.text()).toBe((await decrypted()).get(ref));
    await database.admin.query(
      `update outrider.payload_links set created_at = created_at - interval '1 hour', expires_at = expires_at - interval '1 hour'`,
    );
    for (const late of [link, `${link}0`, link.replace('city.', 'town.')]) {
      const gone = await fetch(late);
      expect(gone.status).toBe(404);
      expect(await gone.json()).toMatchObject({
        error: { code: 'not_found', message: expect.stringContaining('leads nowhere') },
      });
    }
    const [read] = await rowsOf(
      `select r.reading || ' ' || r.reason as row from outrider.payload_reads r order by read_id desc limit 1`,
    );
    expect(read).toBe('link for Bob');
    expect(lines.join('')).not.toContain(link.slice(-64));
  });
});

describe('erasing a person', () => {
  const gap = String.raw`[\s()+.\\-]{0,4}`;
  const digits = new RegExp(Array.from('9167776655').join(gap));
  const names = (text: string): boolean =>
    digits.test(text) || /anna\.k@example\.com|anna_k/i.test(text.replaceAll('\\', ''));

  /** The table of each row that names the person. The rows themselves change while deliveries are tried again. */
  async function everywhere(): Promise<string[]> {
    const texts: string[] = [];
    for (const { name } of await tables(database.admin)) {
      const rows = await rowsOf(`select to_jsonb(t)::text as row from outrider.${name} t`);
      texts.push(...rows.filter(names).map(() => name));
    }
    return texts;
  }

  it('says in a dry run what it would do, and does nothing', async () => {
    const before = await everywhere();
    expect(before.length).toBeGreaterThan(50);
    const dry = await cli(['erase', '--contact', person.phone, '--dry-run']);
    expect(dry).toMatchObject({ code: 0, err: '' });
    expect(dry.out).toMatch(/^would erase it from (.+, )?messages: \d+/);
    expect(dry.out).toMatch(/\d+ of the deliveries wait, and would go out with "erased"/);
    expect(dry.out).toContain('Posts that stand in chats; delete them there:');
    expect(await everywhere()).toEqual(before);
  });

  it('leaves raw payloads that it cannot read, says how many, and fails', async () => {
    const nobody = ['erase', '--contact', 'nobody@nowhere.example', '--reason', 'a typo'];
    const kept = (await refs('request')).length + (await refs('answer')).length;
    const elsewhere = path.join(folder, 'elsewhere');
    const away = await cli(nobody, database.url, { OUTRIDER_DATA_DIR: elsewhere });
    expect(away).toMatchObject({ code: 1, out: '' });
    expect(away.err).toContain('OUTRIDER_DATA_DIR');
    expect(away.err).not.toContain('a fault of Outrider');

    await mkdir(path.join(elsewhere, 'media/payloads/incoming'), { recursive: true });
    const empty = await cli(nobody, database.url, { OUTRIDER_DATA_DIR: elsewhere });
    expect(empty).toMatchObject({ code: 1, out: 'Nothing that is kept names this contact.\n' });
    expect(empty.err).toContain(`${kept} raw payloads could not be read and were left`);

    const otherKeys = `k2:${randomBytes(32).toString('base64')}`;
    const locked = await cli([...nobody, '--json'], database.url, { KEYS: otherKeys });
    expect(locked.code).toBe(1);
    expect(JSON.parse(locked.out)).toMatchObject({
      counts: { raw_payloads: 0 },
      unreadable_payloads: { missing: 0, locked: kept },
    });
    expect((await openAll()).size).toBe(kept);
    const tooMany = await cli([...nobody, '--unreadable-too'], database.url, { KEYS: otherKeys });
    expect(tooMany).toMatchObject({ code: 2, err: expect.stringContaining('say --yes') });
    expect((await openAll()).size).toBe(kept);
  });

  it('of whom more than 20 things tell wants --yes where nobody can be asked', async () => {
    const before = await everywhere();
    const order = ['erase', '--contact', person.phone, '--reason', 'asked for'];
    expect(await cli(order)).toMatchObject({ code: 2, err: expect.stringContaining('say --yes') });
    expect(await everywhere()).toEqual(before);
  });

  it('leaves nothing of them in any table or file', async () => {
    const why = ['--reason', `${person.phone} asked for it`, '--yes'];
    const done = await cli(['erase', '--contact', person.phone, ...why]);
    expect(done).toMatchObject({ code: 0, err: '' });
    for (const contact of [person.email, person.account]) {
      const order = { workspaceId, contact, operator: 'ann', reason: `${contact} asked for it` };
      const { counts } = await eraseContact(database.service, order);
      expect(counts).toMatchObject({ messages: expect.any(Number), raw_payloads: 0 });
    }
    expect(await everywhere()).toEqual([]);
    const all = await openAll();
    expect([...all.values()].filter(names)).toEqual([]);
    expect(all.size).toBeGreaterThan(count / 2);
    const files = await readdir(path.join(folder, 'media/payloads'), {
      recursive: true,
      withFileTypes: true,
    });
    expect(files.filter((file) => file.isFile())).toHaveLength(all.size);
  });

  it('is on record without the person', async () => {
    const events = await rowsOf(
      `select meta::text as row from outrider.events where action = 'contact_erased'`,
    );
    expect(events.filter(names)).toEqual([]);
    const removed = await rowsOf(
      `select meta #>> '{erased,raw_payloads}' as row from outrider.events where action = 'contact_erased' order by ts`,
    );
    // Two that found nothing, the phone number, and two of which only rows were erased.
    expect(removed).toEqual(['0', '0', expect.stringMatching(/^[1-9]\d+$/), '0', '0']);
  });

  it('leaves the posts of others as they were', async () => {
    const texts = await rowsOf(`select payload ->> 'text' as row from outrider.messages`);
    const others = Array.from({ length: count }, (_, n) => postOf(n).text).filter(
      (text) => !names(text),
    );
    const kept = others.filter((text) => texts.includes(text));
    expect(kept.length).toBeGreaterThan(300);
  });
});
