import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { addAlertTarget } from '../support/alerts/alert-rows.ts';
import { addWorkspace, after } from '../support/database/seed.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import {
  type Ask,
  answeredSections,
  inOrder,
  NamedWorld,
  questionsOf,
  sqlOf,
} from '../support/queries/documented-answers.ts';

// Asks each question of docs/queries.md about alerts in a small database whose answers are known. A second workspace holds the
// same rows: an answer with ":town" in it would mean that the query reads those, too.

const database = await useDatabase();
const world = new NamedWorld(database.admin);

beforeAll(async () => {
  for (const workspaceId of ['city', 'town']) await build(workspaceId);
});

async function build(workspaceId: string): Promise<void> {
  const { admin } = database;
  const nameOf = (text: string) => (workspaceId === 'city' ? text : `${text}:town`);
  await addWorkspace(admin, workspaceId);
  await addAlertTarget(admin, workspaceId);
  await addAlertTarget(admin, workspaceId, { alert_target_id: 'other' });
  // The kind, and after how many seconds the alert opened and was resolved.
  const alerts = [
    ['paused_channels', 100, null],
    ['dead_letters', 0, 2000],
    ['oldest_due', 0, 6000],
    ['stale_leases', 0, 7000],
  ] as const;
  for (const [kind, opened, resolved] of alerts) {
    await admin.query(
      `insert into outrider.alerts
         (workspace_id, alert_id, kind, fingerprint, severity, summary, opened_at, seen_at, resolved_at)
       values ($1, $2, $3, $4, 'warning', $3, $5, $5, $6)`,
      [
        workspaceId,
        randomUUID(),
        kind,
        nameOf(kind),
        after(opened),
        resolved === null ? null : after(resolved),
      ],
    );
  }
  // The target, the status, and after how many seconds the notification was queued.
  const notifications = [
    ['log', 'queued', 300],
    ['log', 'failed', 200],
    ['log', 'sent', 100],
    ['other', 'queued', 50],
  ] as const;
  for (const [target, status, created] of notifications) {
    await admin.query(
      `insert into outrider.alert_notifications
         (workspace_id, notification_id, alert_target_id, status, attempts, next_try_at, last_error, created_at, ended_at,
          changes, subject, body)
       values ($1, $2, $3, $4, 1, $5, $6, $5, $7, '[]', '', '')`,
      [
        workspaceId,
        randomUUID(),
        target,
        status,
        after(created),
        nameOf(status),
        status === 'queued' ? null : after(created),
      ],
    );
  }
}

const workspace = { workspace_id: 'city' };

/** For each question, what it is asked with and what comes back. */
const answers: Readonly<Record<string, readonly Ask[]>> = {
  'Which alerts are open?': [
    {
      values: workspace,
      rows: [{ fingerprint: 'paused_channels', severity: 'warning', opened_at: 100 }],
    },
  ],
  'Which alerts were resolved lately, and may come back?': [
    {
      values: { ...workspace, last_hour: after(3600) },
      rows: [
        { fingerprint: 'stale_leases', resolved_at: 7000 },
        { fingerprint: 'oldest_due', resolved_at: 6000 },
      ],
    },
  ],
  'Which notifications wait for an alert target, and which were given up?': [
    {
      values: workspace,
      rows: [
        { status: 'failed', attempts: 1, last_error: 'failed' },
        { status: 'queued', attempts: 1, last_error: 'queued' },
      ],
    },
  ],
};

describe('the documented query answers:', () => {
  it.each(questionsOf(answeredSections.alerts))('%s', async (question) => {
    const asks = answers[question] ?? [];
    expect(asks).not.toEqual([]);
    for (const { values, rows } of asks) {
      expect(await world.ask(question, values)).toEqual(inOrder(sqlOf(question), rows));
    }
  });
});
