import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { type Sandbox, startSandbox } from '../../sandbox/start.ts';
import { auth } from '../../src/cli/auth.ts';
import { claimDeliveries } from '../../src/db/claim.ts';
import { commitOutcomes } from '../../src/db/commit.ts';
import { harnesses } from '../adapters/harnesses.ts';
import { recordingTerminal } from '../support/cli/recording-terminal.ts';
import { type Ended, runOutrider, tabbed } from '../support/cli/run-outrider.ts';
import { addBacklog, addChannel, addWorkspace, start } from '../support/database/seed.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import { failed } from '../support/queue/outcomes.ts';
import { platforms } from '../support/sandbox/three-platforms.ts';

// The command as a person runs it, a process of its own, against the simulators.

const database = await useDatabase();
let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = await startSandbox();
  await addWorkspace(database.admin, 'city');
  for (const platform of platforms) {
    const { targetId } = harnesses[platform].populate(sandbox[platform].simulator);
    await bind(`${platform}-main`, platform, `env:${platform.toUpperCase()}`);
    await addChannel(database.admin, 'city', platform, {
      platform,
      target_id: targetId,
      auth_ref: `${platform}-main`,
      rate_group: `${platform}-main`,
    });
  }
});

afterAll(() => sandbox.close());

async function bind(authRef: string, platform: string, secretRef: string): Promise<void> {
  await database.admin.query(
    `insert into outrider.credential_bindings (workspace_id, auth_ref, platform, secret_ref, updated_at)
     values ('city', $1, $2, $3, $4)`,
    [authRef, platform, secretRef, start],
  );
}

/** With the right token of each platform, unless the test says otherwise. */
async function check(
  args: readonly string[] = [],
  secrets: Readonly<Record<string, string>> = {},
): Promise<Ended> {
  const env = {
    TELEGRAM_API_URL: sandbox.telegram.url,
    MAX_API_URL: sandbox.max.url,
    VK_API_URL: sandbox.vk.url,
    ...Object.fromEntries(platforms.map((each) => [each.toUpperCase(), harnesses[each].token])),
    ...secrets,
  };
  const ended = await runOutrider(['auth', 'check', ...args], { databaseUrl: database.url, env });
  const tokens = platforms.flatMap((each) => [harnesses[each].token, harnesses[each].wrongToken]);
  for (const token of tokens) expect(`${ended.out}${ended.err}`).not.toContain(token);
  return ended;
}

const Rows = z.array(
  z.object({
    auth_ref: z.string(),
    verdict: z.string(),
    account: z.string().nullable(),
    error: z.string().nullable(),
    opened: z.array(z.object({ platform: z.string(), rate_group: z.string() })),
  }),
);

const next = 'then run outrider auth check';

describe('outrider auth check', () => {
  it('has a line for each credential that says whose it is', async () => {
    const { code, out, err } = await check();
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(tabbed(out)).toMatchObject(
      ['max', 'telegram', 'vk'].map((platform, n) => ({
        auth_ref: `${platform}-main`,
        secret_ref: `env:${platform.toUpperCase()}`,
        channels: '1',
        verdict: 'good',
        account: [harnesses.max, harnesses.telegram, harnesses.vk][n]?.account,
      })),
    );
  });

  it.each(platforms)(
    'ends with 1 and says what to do about a token that %s refuses',
    async (name) => {
      const secrets = { [name.toUpperCase()]: harnesses[name].wrongToken };
      const { code, out, err } = await check(['--json'], secrets);
      expect({ code, err }).toEqual({ code: 1, err: '' });
      const rows = Rows.parse(JSON.parse(out));
      expect(rows.filter((row) => row.verdict !== 'good')).toMatchObject([
        {
          auth_ref: `${name}-main`,
          verdict: 'refused',
          error: expect.stringMatching(
            new RegExp(
              `^credential ${name}-main \\(env:${name.toUpperCase()}\\) was refused: .*, ${next}$`,
            ),
          ),
          opened: [],
        },
      ]);
    },
  );

  it('does not call a credential refused whose secret cannot be read here', async () => {
    const { code, out } = await check(['telegram-main', '--json'], { TELEGRAM: '' });
    expect(code).toBe(1);
    expect(Rows.parse(JSON.parse(out))).toMatchObject([
      {
        verdict: 'unreadable',
        error:
          'credential telegram-main (env:TELEGRAM) cannot be read here: environment variable TELEGRAM is empty; run this with the environment of the dispatcher',
      },
    ]);
  });

  it('does not call a credential refused whose platform cannot be reached', async () => {
    const { code, out } = await check(['max-main', '--json'], {
      MAX_API_URL: 'http://127.0.0.1:1',
    });
    expect(code).toBe(1);
    expect(Rows.parse(JSON.parse(out))).toMatchObject([
      { verdict: 'not_checked', error: expect.stringMatching(/^unreachable: /), opened: [] },
    ]);
  });

  it('says which there are when one is named that is not', async () => {
    const { code, out, err } = await check(['spare']);
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toContain('there is no credential "spare"');
    expect(err).toContain('there are max-main, telegram-main and vk-main');
  });

  it('shows a person what to do, in full', async () => {
    vi.stubEnv('DATABASE_URL', database.url);
    for (const platform of platforms) {
      vi.stubEnv(`${platform.toUpperCase()}_API_URL`, sandbox[platform].url);
      vi.stubEnv(platform.toUpperCase(), harnesses[platform].token);
    }
    vi.stubEnv('MAX', harnesses.max.wrongToken);
    const terminal = recordingTerminal();
    const code = await auth.run(['check', 'max-main', 'vk-main'], terminal);
    vi.unstubAllEnvs();
    expect(code).toBe(1);
    expect(terminal.printed().trimEnd().split('\n')).toEqual([
      `max-main  refused      max: credential max-main (env:MAX) was refused: MAX says verify.token, Invalid access_token; replace the token, restart what sends with it, ${next}`,
      expect.stringMatching(/^vk-main {3}good {9}vk: user Анна Орлова \(1001\)/),
    ]);
  });

  it('opens the group of a credential that is good again, and of no other', async () => {
    const { admin, service } = database;
    await addBacklog(admin, 'city', ['telegram', 'max'], 2);
    const held = await claimDeliveries(service, { workspaceId: 'city', runId: 'run', limit: 4 });
    const error = { scope: 'platform', code: 'credential_refused', message: 'revoked' } as const;
    await commitOutcomes(
      service,
      'city',
      held.map((each) => failed(each, error)),
    );
    const { out } = await check(['--json'], { TELEGRAM: harnesses.telegram.wrongToken });
    const rows = Rows.parse(JSON.parse(out));
    expect(rows.find((row) => row.auth_ref === 'telegram-main')?.opened).toEqual([]);
    expect(rows.find((row) => row.auth_ref === 'max-main')?.opened).toEqual([
      { platform: 'max', rate_group: 'max-main' },
    ]);
  });
});
