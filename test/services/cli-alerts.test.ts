import { beforeAll, describe, expect, it } from 'vitest';
import { evaluateAlerts } from '../../src/db/monitor.ts';
import { addAlertTarget } from '../support/alerts/alert-rows.ts';
import { type Ended, runOutrider, tabbed } from '../support/cli/run-outrider.ts';
import { recorded } from '../support/database/configuration.ts';
import { addChannel, addWorkspace } from '../support/database/seed.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import { startRawServer } from '../support/http/raw-server.ts';

const database = await useDatabase();

beforeAll(async () => {
  const { admin } = database;
  await addWorkspace(admin, 'city', { alert_on_installation: false });
  await addChannel(admin, 'city', 'tg-news', {
    enabled: false,
    stopped_because: JSON.stringify({ code: 'kicked', message: 'the bot was kicked' }),
  });
  await addAlertTarget(admin, 'city');
  await addAlertTarget(admin, 'city', {
    alert_target_id: 'mail',
    kind: 'email',
    recipients: ['ann@example.org'],
  });
  await evaluateAlerts(database.service, 'city');
});

function outrider(...args: string[]): Promise<Ended> {
  return runOutrider(['alerts', ...args], {
    databaseUrl: database.url,
    env: { OUTRIDER_WORKSPACE: 'city' },
  });
}

const why = ['--operator', 'anna', '--reason', 'we know'];
const fingerprint = 'channel_disabled:tg-news';

describe('outrider alerts', () => {
  it('lists what is wrong, and shows one with its runbook', async () => {
    const { out } = await outrider();
    const [alert] = tabbed(out);
    expect(alert).toMatchObject({ fingerprint, severity: 'critical', state: 'open' });
    const shown = await outrider('show', alert?.['alert_id']?.slice(0, 8) ?? '', '--json');
    expect(JSON.parse(shown.out)).toMatchObject({
      fingerprint,
      runbook: 'docs/runbook.md#channel_disabled',
      notifications: [{ status: 'queued' }, { status: 'queued' }],
    });
  });

  it('acknowledges an alert, once, and leaves a record', async () => {
    const dry = await outrider('ack', fingerprint, '--dry-run');
    expect(dry).toMatchObject({ code: 0, out: '1 alert would be acknowledged\n' });
    const done = await outrider('ack', fingerprint, ...why);
    expect(done).toMatchObject({ code: 0, out: '1 alert acknowledged\n' });
    const again = await outrider('ack', fingerprint, ...why);
    expect(again.code).toBe(1);
    expect(again.err).toContain('anna has acknowledged it already');
    const events = await recorded(database.admin, 'city');
    expect(events.map((each) => each.action)).toContain('alert_acknowledged');
  });

  it('silences a kind of alert for a time, lists the silence, and ends it once', async () => {
    const done = await outrider('silence', 'channel_disabled', '--for', '2h', ...why);
    expect(done.out).toMatch(/^channel_disabled is silenced until .+: 1 open alert\n$/);
    const { out } = await outrider();
    expect(tabbed(out)[0]).toMatchObject({ state: 'silenced' });
    const silences = await outrider('silences');
    expect(tabbed(silences.out)).toMatchObject([
      { matches: 'channel_disabled', operator: 'anna', reason: 'we know' },
    ]);
    const ended = await outrider('unsilence', 'channel_disabled', ...why);
    expect(ended).toMatchObject({ code: 0, out: 'channel_disabled is told again\n' });
    const twice = await outrider('unsilence', 'channel_disabled', ...why);
    expect(twice).toMatchObject({ code: 1, err: 'channel_disabled: it is not silenced\n' });
  });

  it.each([
    [['ack', fingerprint], 2, 'why? --reason says so'],
    [['ack', 'ffffffff', ...why], 1, 'no alert is known by "ffffffff"'],
    [['silence', 'telepathy', '--for', '2h', ...why], 1, 'neither a kind of alert'],
    [['silence', 'channel_disabled', ...why], 2, 'for how long?'],
    [['test', 'pager'], 1, 'there is no alert target "pager"'],
  ])('refuses %j in words', async (args, code, words) => {
    const ended = await outrider(...args);
    expect(ended.code).toBe(code);
    expect(ended.err).toContain(words);
    expect(ended.err).not.toContain('    at ');
  });

  it('tries every target, and says what became of each', async () => {
    const ended = await outrider('test');
    expect(ended.code).toBe(1);
    expect(tabbed(ended.out)).toMatchObject([
      { alert_target_id: 'log', reached: 'true', said: 'a line in the log' },
      {
        alert_target_id: 'mail',
        reached: 'false',
        said: expect.stringContaining('OUTRIDER_SMTP_URL'),
      },
    ]);
    expect(ended.err).toContain('Alerts will be told here');
  });

  it('masks what a target said', async () => {
    await using server = await startRawServer(({ socket }) =>
      socket.write('550 ask ann@example.org, 8 916 555-11-22\r\n'),
    );
    const ended = await runOutrider(['alerts', 'test', 'mail'], {
      databaseUrl: database.url,
      env: {
        OUTRIDER_WORKSPACE: 'city',
        OUTRIDER_SMTP_URL: `smtp://127.0.0.1:${server.port}`,
        OUTRIDER_SMTP_FROM: 'o@example.org',
      },
    });
    expect(tabbed(ended.out)[0]?.['said']).toBe(
      'the mail server answered: 550 ask [email], [phone]',
    );
  });

  it('lists the targets', async () => {
    const { out } = await outrider('targets');
    expect(tabbed(out).map((each) => each['place'])).toEqual(['the log', 'ann@example.org']);
  });
});
