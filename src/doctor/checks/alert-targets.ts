// Whether somebody would be told of an alert.

import { signingFault } from '../../http/standard-webhooks.ts';
import { maskText } from '../../masking.ts';
import { critical, type Finding, info, warning } from '../finding.ts';
import type { AskedWorkspace, DoctorCheck } from '../installation.ts';
import { referenceFindings } from '../secret-files.ts';
import { chatFindings } from './channels.ts';

type Target = AskedWorkspace['alertTargets'][number];

export const alertTargets: DoctorCheck = {
  name: 'alert_targets',
  area: 'alerts',
  asks: 'is there an alert target, and do notifications reach every one',
  needs: 'workspace',
  async look(workspace) {
    const { alertTargets: all } = workspace;
    const targets = all.filter((each) => each.enabled);
    if (targets.length === 0) {
      const says = 'nobody is told of alerts: there is no alert target';
      return [
        info(null, says, 'put one under alert_targets of the file, and outrider apply <file>'),
      ];
    }
    const found = await Promise.all(targets.map((each) => findingsOf(workspace, each)));
    return found.flat();
  },
};

async function findingsOf(workspace: AskedWorkspace, target: Target): Promise<Finding[]> {
  const { alertTargetId, undeliveredSince, lastError } = target;
  const where = `alert target ${alertTargetId}`;
  const found = await byKind(workspace, target, where);
  if (found.length > 0 || undeliveredSince === null) return found;
  const says = `messages have not reached it since ${undeliveredSince.toISOString()}: ${lastError ?? 'nobody knows why'}`;
  return [warning(where, maskText(says), `outrider alerts test ${alertTargetId}`)];
}

async function byKind(
  workspace: AskedWorkspace,
  target: Target,
  where: string,
): Promise<Finding[]> {
  const { config, secrets, alertChats, tokens } = workspace;
  const { kind, authRef, secretRef, platform, targetId } = target.address;
  if (kind === 'email') {
    const { smtpUrl, smtpFrom } = config.alerts;
    if (smtpUrl !== undefined && smtpFrom !== undefined) return [];
    const says = 'no mail server is configured here, and e-mails cannot be sent';
    return [
      critical(
        where,
        says,
        'set OUTRIDER_SMTP_URL and OUTRIDER_SMTP_FROM where the monitor runs, and run this with the same environment',
      ),
    ];
  }
  if (kind === 'webhook' && secretRef !== null) {
    const named = `the secret_ref of ${where}`;
    const read = await secrets.ofReference(secretRef, named);
    const fault = read.ok ? signingFault(read.secret) : undefined;
    if (fault === undefined) return referenceFindings(secrets, secretRef, named, where);
    const says = `its signing secret cannot be used: ${fault}`;
    return [critical(where, says, 'set the secret that its receiver has')];
  }
  if (kind !== 'chat') return [];
  const isKnown = platform !== null && tokens.has(authRef ?? '');
  if (!isKnown) {
    const says = `credential ${authRef} is not configured`;
    return [
      critical(where, says, 'put it under credentials of the file, and outrider apply <file>'),
    ];
  }
  const inspection = alertChats.get(target.alertTargetId);
  return inspection === undefined ? [] : chatFindings(where, targetId ?? '', inspection);
}
