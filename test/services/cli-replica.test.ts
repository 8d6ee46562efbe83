import { beforeAll, describe, expect, it } from 'vitest';
import { runOutrider } from '../support/cli/run-outrider.ts';
import { checksums } from '../support/database/catalogue.ts';
import { addChannel, addDelivery, addWorkspace } from '../support/database/seed.ts';
import { useDatabase } from '../support/fixtures/database.ts';

// On a replica every transaction is read-only; here the sessions of the command are. docs/scaling.md lists the commands.

const database = await useDatabase();
let replica: string;
let deliveryId: string;

beforeAll(async () => {
  const { admin } = database;
  await addWorkspace(admin, 'city');
  await addChannel(admin, 'city', 'news');
  await addChannel(admin, 'city', 'old', { enabled: false });
  deliveryId = await addDelivery(admin, 'city', 'news');
  const address = new URL(database.url);
  address.searchParams.set('options', '-c default_transaction_read_only=on');
  replica = address.toString();
});

describe('where nothing can be written', () => {
  it.each([
    ['status'],
    ['channels'],
    ['rate-groups'],
    ['events'],
    ['deliveries'],
    ['deliveries show'],
    ['explain'],
    ['outbox status'],
    ['outbox list'],
  ])('outrider %s answers', async (words) => {
    const args = [
      ...words.split(' '),
      ...(/show|explain/.test(words) ? [deliveryId] : []),
      '--json',
    ];
    const { code, out, err } = await runOutrider(args, { databaseUrl: replica });
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(JSON.parse(out)).not.toHaveProperty('error');
  });

  it('outrider capacity counts the enabled channels of a workspace', async () => {
    const args = ['capacity', '--workspace', 'city', '--json'];
    const { code, out } = await runOutrider(args, { databaseUrl: replica });
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({
      workload: { platforms: [{ platform: 'telegram', channels: 1, groups: 1 }] },
    });
  });

  it.each([
    ['send --text Hello'],
    ['channels pause news --reason why'],
    ['channels pause news --dry-run'],
    ['deliveries requeue --reason why'],
  ])('outrider %s is refused, and changes nothing', async (words) => {
    const before = await checksums(database.admin);
    const args = [...words.split(' '), ...(words.includes('requeue') ? [deliveryId] : [])];
    const { code, err } = await runOutrider(args, { databaseUrl: replica });
    expect({ code, err }).toEqual({
      code: 1,
      err: expect.stringMatching(/in a read-only transaction\n {2}this server can only be read/),
    });
    expect(await checksums(database.admin)).toEqual(before);
  });
});
