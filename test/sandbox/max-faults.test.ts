import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  dialogId,
  groupId,
  type MaxSandbox,
  startMax,
  userId,
} from '../support/sandbox/max-sandbox.ts';

let max: MaxSandbox;

beforeEach(async () => {
  max = await startMax();
});

afterEach(() => max.close());

const toGroup = `/messages?chat_id=${groupId}`;
const toDialog = `/messages?chat_id=${dialogId}`;
const text = { text: 'Hi' };

function refusal(status: number, code: string, message: unknown = expect.any(String)) {
  return { status, json: { code, message } };
}

describe('a scripted fault', () => {
  it.each([
    [{ kind: 'rate_limited' }, refusal(429, 'too.many.requests')],
    [{ kind: 'revoked' }, refusal(401, 'verify.token', 'Invalid access_token')],
    [
      { kind: 'kicked' },
      refusal(403, 'chat.denied', 'chat.send.msg.no.permission.because.not.admin'),
    ],
    [
      { kind: 'attachment_not_ready' },
      refusal(400, 'attachment.not.ready', 'Key: errors.process.attachment.file.not.processed'),
    ],
    [{ kind: 'server_error' }, refusal(500, 'internal.error')],
    [{ kind: 'server_error', status: 503 }, refusal(503, 'service.unavailable')],
  ] as const)('answers as MAX does: %j', async (fault, expected) => {
    max.server.faults.add({ ...fault, times: 1, method: 'POST /messages', chat: String(groupId) });
    expect(await max.call('GET', '/me')).toMatchObject({ status: 200 });
    expect(await max.call('POST', toDialog, text)).toMatchObject({ status: 200 });
    expect(await max.call('POST', toGroup, text)).toMatchObject(expected);
    expect(max.posts(groupId)).toEqual([]);
    expect(await max.call('POST', toGroup, text)).toMatchObject({ status: 200 });
  });

  it('suspends a dialog from which the bot is kicked, however the person is addressed', async () => {
    max.server.faults.add({ kind: 'kicked', times: 1, chat: String(dialogId) });
    expect(await max.call('POST', `/messages?user_id=${userId}`, text)).toMatchObject(
      refusal(403, 'chat.denied', 'error.dialog.suspended'),
    );
  });

  it('has the header Retry-After only when the script has it', async () => {
    max.server.faults.add({ kind: 'rate_limited', times: 1, retryAfter: 7 });
    const { headers } = await max.call('POST', toGroup, text);
    expect(headers.get('retry-after')).toBe('7');
  });

  it('of success_false is answered with HTTP 200, and the message stays as it was', async () => {
    const { body } = await max.bot.api.sendMessageToChat(groupId, 'old');
    max.server.faults.add({ kind: 'success_false', times: 1, chat: String(groupId) });
    const answer = await max.call('PUT', `/messages?message_id=${body.mid}`, { text: 'new' });
    expect(answer).toMatchObject({ status: 200, json: { success: false } });
    expect(max.posts(groupId)).toMatchObject([{ text: 'old' }]);
  });

  it('drops the connection after the message was stored', async () => {
    max.server.faults.add({ kind: 'drop', stored: true, times: 1, method: 'POST /messages' });
    await expect(max.call('POST', toGroup, text)).rejects.toThrow('fetch failed');
    expect(max.posts(groupId)).toHaveLength(1);
  });
});
