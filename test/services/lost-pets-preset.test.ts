import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { runOutrider } from '../support/cli/run-outrider.ts';
import { useDatabase } from '../support/fixtures/database.ts';

const database = await useDatabase();

const variables = {
  VK_OWNERS: '-200000002,club200000003',
  VK_TOKEN: 'vk',
  TG_TOKEN: 'tg',
};

beforeAll(() => vi.stubEnv('DATABASE_URL', database.url));
afterAll(() => vi.unstubAllEnvs());

function apply(env: Readonly<Record<string, string>>) {
  return runOutrider(['apply', 'presets/lost-pets.yaml'], {
    databaseUrl: database.url,
    env: { ...variables, ...env },
  });
}

describe('presets/lost-pets.yaml', () => {
  it('is applied as it is, with both channels off', async () => {
    const { code, out } = await apply({});
    expect(out).toContain('+ channel telegram');
    expect(code).toBe(0);
  });

  it('wants a chat when its channel is on', async () => {
    const { code, err } = await apply({ TG_ENABLED: 'true' });
    expect(code).toBe(1);
    expect(err).toContain(
      'channels.telegram.target_id: the environment variable TG_CHAT is not set',
    );
  });

  it('takes every variable of the table', async () => {
    const { code, out } = await apply({
      TG_ENABLED: 'true',
      TG_CHAT: '-1001000000002',
      TG_PARSE_MODE: 'MarkdownV2',
      TG_RATE_PER_SEC: '0.3',
      TG_MAX_MEDIA: '5',
      TG_HTTP_TIMEOUT: '20s',
      TG_TYPES: 'lost,found',
      VK_EVERY: '1m',
      VK_OUT_ENABLED: 'true',
      VK_OUT_TOKEN: 'vk-out',
      VK_OUT_OWNER_ID: '-200000001',
      VK_OUT_RATE_PER_SEC: '0.5',
      VK_OUT_HTTP_TIMEOUT: '15s',
      VK_OUT_FROM_GROUP: 'false',
      VK_OUT_MAX_MEDIA: '3',
    });
    expect(code).toBe(0);
    expect(out).toContain('~ channel telegram');
    expect(out).toContain('~ channel vk-wall');
  });

  it('changes nothing when it is applied again', async () => {
    await apply({});
    expect((await apply({})).out).toContain('unchanged');
  });
});
