import { beforeAll, describe, expect, it } from 'vitest';
import { applyWorkspace, type Change } from '../../src/db/apply.ts';
import { listAlertTargets } from '../../src/db/monitor.ts';
import { start } from '../support/database/seed.ts';
import { useDatabase } from '../support/fixtures/database.ts';

const database = await useDatabase();

beforeAll(async () => {
  await apply({
    credentials: { bot: { platform: 'telegram', secret_ref: 'env:BOT' } },
    channels: {
      news: { platform: 'telegram', target_id: '-1', auth_ref: 'bot', rate_group: 'shared' },
    },
  });
});

async function apply(
  document: Readonly<Record<string, unknown>>,
  prune = false,
): Promise<Change[]> {
  const request = { document: { workspace: 'city', ...document }, prune, dryRun: false };
  return applyWorkspace(database.service, request, start);
}

async function changed(targets: Readonly<Record<string, unknown>>, prune = false) {
  const changes = await apply({ alert_targets: targets }, prune);
  return changes
    .filter((each) => each.kind === 'alert_target')
    .map(({ id, action, warnings }) => [id, action, ...(warnings ?? [])]);
}

const admins = { kind: 'chat', auth_ref: 'bot', target_id: '-5' };
const hook = { kind: 'webhook', url: 'https://pager.example/hook', secret_ref: 'env:HOOK' };

describe('the alert targets of a document', () => {
  it('are added, changed, kept and pruned', async () => {
    const mail = { kind: 'email', recipients: ['ops@example.org'] };
    expect(await changed({ admins, hook, mail, log: { kind: 'log' } })).toEqual([
      ['admins', 'add'],
      ['hook', 'add'],
      ['log', 'add'],
      ['mail', 'add'],
    ]);
    expect(await changed({ admins, hook: { min_severity: 'critical' } })).toEqual([
      ['log', 'keep'],
      ['mail', 'keep'],
      ['admins', 'keep'],
      ['hook', 'change'],
    ]);
    expect(await changed({ admins }, true)).toEqual([
      ['hook', 'remove'],
      ['log', 'remove'],
      ['mail', 'remove'],
      ['admins', 'keep'],
    ]);
  });

  it('are told in the rate group of the channels that post with their credential', async () => {
    const [target] = await listAlertTargets(database.service, 'city', start);
    expect(target?.address).toMatchObject({
      kind: 'chat',
      platform: 'telegram',
      targetId: '-5',
      secretRef: 'env:BOT',
      rateGroup: 'shared',
    });
  });

  it('keep their credential from being pruned', async () => {
    const changes = await apply({ credentials: {}, channels: {} }, true);
    expect(changes).toContainEqual(
      expect.objectContaining({
        kind: 'credential',
        id: 'bot',
        action: 'keep',
        note: 'not in the document; alert target "admins" names it',
      }),
    );
  });

  it('may name a credential that is not configured, with a warning', async () => {
    expect(await changed({ others: { ...admins, auth_ref: 'nobody' } })).toContainEqual([
      'others',
      'add',
      'credential "nobody" is not configured: nothing can be told there',
    ]);
  });

  it.each([
    [{ kind: 'chat' }, 'auth_ref and target_id are needed for kind chat'],
    [{ ...admins, url: 'https://a.example' }, 'url and secret_ref are needed for kind webhook'],
    [
      { ...hook, url: 'https://me:secret@a.example/' },
      'url must be an http:// or https:// address',
    ],
    [{ ...hook, secret_ref: 'hunter2' }, 'secret_ref must be env:NAME or file:PATH'],
    [{ kind: 'email' }, 'recipients, 1 to 50, are needed for kind email'],
    [{ kind: 'email', recipients: ['nobody'] }, 'recipients must be e-mail addresses'],
    [{ kind: 'pigeon' }, 'kind must be one of chat, webhook, email, log'],
    [{ kind: 'log', min_severity: 'loud' }, 'min_severity must be one of info, warning, critical'],
  ])('are refused in words: %j', async (target, words) => {
    await expect(changed({ bad: target })).rejects.toThrow(`alert target "bad": ${words}`);
  });
});

describe('the settings of alerts', () => {
  it.each([
    [{ alert_cooldown: '0 seconds' }, 'every span of alerts must be longer than 0'],
    [{ snapshot_every: '30 seconds' }, 'snapshot_every must be 1 minute or more'],
    [{ alert_oldest_due_over: '2000 years' }, 'no span of alerts may be longer than 1000 years'],
  ])('are refused in words: %j', async (settings, words) => {
    await expect(apply({ settings })).rejects.toThrow(words);
  });
});
