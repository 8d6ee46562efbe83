// Alerts in the log of the process that runs the monitor.

import type { Log } from '../../log.ts';
import type { Tell } from './target.ts';

export function createLogTarget(log: Log): Tell {
  return async ({ workspaceId, alertTargetId, subject, body }) => {
    log.warn(subject, { workspace_id: workspaceId, alert_target_id: alertTargetId, text: body });
    return { ok: true, said: 'a line in the log' };
  };
}
