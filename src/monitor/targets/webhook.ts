// Alerts as signed webhooks (Standard Webhooks): one POST, confirmed by an answer of 2xx.

import type { GuardedPost } from '../../http/guarded-post.ts';
import { readRetryAfter } from '../../http/retry-after.ts';
import { signingFault, signingSecrets, signWebhook } from '../../http/standard-webhooks.ts';
import type { Secrets } from '../../secrets.ts';
import { type AlertMessage, leftToOthers, type Tell, untold } from './target.ts';

export interface WebhookTargetOptions {
  readonly secrets: Secrets;
  readonly post: GuardedPost;
  readonly now?: (() => Date) | undefined;
}

export function createWebhookTarget(options: WebhookTargetOptions): Tell {
  const { secrets, post, now = () => new Date() } = options;
  return async (message, signal) => {
    const { url, secretRef } = message.address;
    if (url === null || secretRef === null) return untold('the target has no url or no secret');
    const named = `the secret_ref of alert target ${message.alertTargetId}`;
    const read = await secrets.ofReference(secretRef, named);
    if (!read.ok) return leftToOthers(`the signing secret cannot be read: ${read.reason}`);

    const fault = signingFault(read.secret);
    if (fault !== undefined) return leftToOthers(`the signing secret cannot be used: ${fault}`);

    const body = bodyOf(message, now());
    const signing = { id: message.id, at: now(), body: Buffer.from(body) };
    const signed = signWebhook(signing, signingSecrets(read.secret));
    const headers = { 'content-type': 'application/json', ...signed };
    const answer = await post.send({ url, headers, body }, signal);
    if (!answer.ok) return untold(answer.reason);
    if (answer.status >= 200 && answer.status < 300) {
      return { ok: true, said: `answered with ${answer.status}` };
    }
    const retryAfterMs = readRetryAfter(answer.retryAfter, now());
    return untold(`the receiver answered with ${answer.status}`, retryAfterMs);
  };
}

function bodyOf(message: AlertMessage, at: Date): string {
  const { workspaceId, alertTargetId, subject, body, changes } = message;
  return JSON.stringify({
    type: 'outrider.alerts',
    timestamp: at.toISOString(),
    data: {
      workspace_id: workspaceId,
      alert_target_id: alertTargetId,
      subject,
      text: body,
      changes,
    },
  });
}
