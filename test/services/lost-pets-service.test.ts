import { expect, it, vi } from 'vitest';
import type { PostView } from '../../sandbox/simulator.ts';
import { presetDocument } from '../../src/cli/apply/preset.ts';
import { applyWorkspace } from '../../src/db/apply.ts';
import { createLog } from '../../src/log.ts';
import { type Outrider, openOutrider } from '../../src/outrider.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import { useFolder } from '../support/fixtures/folder.ts';
import { useSandbox } from '../support/fixtures/sandbox.ts';
import { useUndo } from '../support/fixtures/undo.ts';
import { addChat, sandboxTokens, urlsOf } from '../support/sandbox/sandbox-channels.ts';

// The service of presets/lost-pets.yaml: walls of VK are read, and what is lost goes to a group and to a wall.

const database = await useDatabase();
const sandbox = await useSandbox();
const folder = await useFolder();
const undo = useUndo();

const [group, wall, source] = ['-1001000000006', '-200000002', '-300'] as const;
const lost = ['такса', 'хаски', 'корги', 'дворняга', 'шпиц', 'лайка'].map(
  (breed, n) => `Пропала собака, ${breed}. Телефон 8 (912) 000-11-${20 + n}`,
);
const others = [
  'Найдена собака, ищем хозяев. Телефон 8 (912) 000-22-01',
  'Отдам щенка в добрые руки. Телефон 8 (912) 000-22-02',
  'Собираем на операцию коту: карта 2202 2000 1111 2222',
];

function furnish(): void {
  addChat(sandbox, 'telegram', group, 'Pets');
  addChat(sandbox, 'vk', wall, 'Pets');
  addChat(sandbox, 'vk', source, 'Town');
}

function write(posts: readonly object[]): void {
  sandbox.vk.simulator.control('posts', { owner_id: Number(source), posts });
}

async function applyPreset(): Promise<void> {
  const document = await presetDocument('lost-pets', {
    VK_OWNERS: source,
    TG_ENABLED: 'true',
    TG_CHAT: group,
    TG_RATE_PER_SEC: '100',
    VK_OUT_ENABLED: 'true',
    VK_OUT_OWNER_ID: wall,
    VK_OUT_RATE_PER_SEC: '100',
  });
  await applyWorkspace(database.admin, { document, prune: false, dryRun: false });
}

async function open(): Promise<Outrider> {
  const apiUrls = urlsOf(sandbox);
  const outrider = await openOutrider(
    {
      databaseUrl: database.url,
      apiUrls,
      dataDir: folder,
      media: { privateHosts: Object.values(apiUrls).map((url) => new URL(url).host) },
      secrets: { TG_TOKEN: sandboxTokens.telegram, VK_TOKEN: sandboxTokens.vk },
    },
    {
      log: createLog({ level: 'error', pretty: false, write: () => undefined }),
      intervals: { pullEveryMs: 50 },
    },
  );
  undo.push(() => outrider.stop());
  await outrider.start(['pull', 'dispatch', 'upkeep']);
  return outrider;
}

/** Makes the source due, and waits until it was read. */
async function readAgain(): Promise<void> {
  const { admin } = database;
  const reads = async (): Promise<unknown> =>
    (await admin.query('select pulled_at from outrider.pull_cursors')).rows[0];
  const before = JSON.stringify(await reads());
  await admin.query('update outrider.pull_cursors set next_pull_at = now()');
  await vi.waitFor(async () => expect(JSON.stringify(await reads())).not.toBe(before), 30_000);
}

function postsOf(platform: 'telegram' | 'vk', chat: string): readonly PostView[] {
  const found = sandbox[platform].simulator.chats().find((each) => each.chat === chat);
  return found?.posts ?? [];
}

/** What readers of the group and of the wall see, album by album. */
function shown(): string[][] {
  const places = [postsOf('telegram', group), postsOf('vk', wall)];
  return places.map((posts) => posts.map(({ text }) => text).filter((text) => text !== ''));
}

function phonesIn(texts: readonly string[]): string[] {
  return texts.map((text) => /\+7\d{10}/.exec(text)?.[0] ?? text).toSorted();
}

const phones = lost.map((_, n) => `+791200011${20 + n}`);

it('reposts what is lost, once each, also when it is restarted and when posts are pinned and edited', async () => {
  furnish();
  write(lost.slice(0, 4).map((text, n) => ({ id: n + 1, text, photos: [{}, {}] })));
  write(others.map((text, n) => ({ id: n + 11, text })));
  await applyPreset();
  const first = await open();
  await vi.waitFor(() => expect(shown()[0]?.length).toBeGreaterThan(0), 30_000);
  await first.stop();

  write(lost.slice(4).map((text, n) => ({ id: n + 21, text, photos: [{}] })));
  await database.admin.query('update outrider.pull_cursors set next_pull_at = now()');
  await open();
  await vi.waitFor(
    () => expect(shown().map((texts) => texts.length)).toEqual([lost.length, lost.length]),
    60_000,
  );
  write([{ id: 1, text: `${lost[0]}, всё ещё ищем`, photos: [{}, {}], pinned: true }]);
  await readAgain();
  for (const texts of shown()) expect(phonesIn(texts)).toEqual(phones);
  for (const posts of [postsOf('telegram', group), postsOf('vk', wall)]) {
    expect(posts.flatMap(({ media }) => media)).toHaveLength(4 * 2 + 2);
  }
  const [text = ''] = shown()[0]?.filter((each) => each.includes('такса')) ?? [];
  expect(text.split('\n').filter((line) => line !== '')).toEqual([
    '🔎 Пропала собака',
    lost[0],
    '☎ +79120001120',
    'https://vk.com/wall-300_1',
  ]);
}, 120_000);
