// MAX in words that nobody has seen, and that it may well have.

import { expect, it } from 'vitest';
import type { SandboxReply } from '../../sandbox/simulator.ts';
import { maxHarness } from './max-harness.ts';
import { errorOf, idsOf, useStage } from './stage.ts';
import { StoredBlob } from './stored-blob.ts';

/** The next answers to a call, before the simulator's own. */
const instead = new Map<string, SandboxReply[]>();

const stage = useStage(maxHarness, {
  disguise: (simulator) => ({
    ...simulator,
    handle: (request) =>
      instead.get(`${request.method} ${request.path}`)?.shift() ?? simulator.handle(request),
  }),
});

const missing = { status: 404, body: '{"code":"not.found","message":"Attachment not found"}' };

it('uploads anew what MAX does not find', async () => {
  const blob = new StoredBlob('one');
  blob.fileId = maxHarness.abilities.unknownFileId;
  instead.set('POST /messages', [missing]);
  idsOf(await stage().send({ media: [blob.asMedium()] }));
  expect(blob).toMatchObject({ opened: 1, forgotten: 1 });
  expect(stage().shown()).toHaveLength(1);
});

it('has removed what MAX does not find', async () => {
  instead.set('DELETE /messages', [missing]);
  expect(await stage().remove(['mid.1'])).toEqual({ ok: true });
  expect(stage().calls).toHaveLength(1);
});

it('does not change the buttons of media whose tokens MAX keeps to itself', async () => {
  const attachments = [{ type: 'image', payload: { url: 'https://example.org/1' } }];
  const message = { timestamp: 1, body: { mid: 'mid.1', text: '', attachments } };
  instead.set('GET /messages/mid.1', [{ status: 200, body: JSON.stringify(message) }]);
  const buttons = [[{ text: 'Сайт', url: 'https://example.org/' }]];
  const outcome = await stage().edit(['mid.1'], { isCaption: true, buttons });
  expect(errorOf(outcome)).toMatchObject({
    category: 'PERMANENT',
    scope: 'delivery',
    code: 'not_changeable',
  });
  expect(stage().calls).toHaveLength(1);
});

it('cannot look into a dialog that no message of it tells', async () => {
  const message = { timestamp: 1, recipient: { chat_id: null }, body: { mid: 'mid.1' } };
  instead.set('GET /messages/mid.1', [{ status: 200, body: JSON.stringify(message) }]);
  const channel = { ...stage().request().channel, targetId: 'user:123456789' };
  const outcome = await stage().send({
    channel: { ...channel, settings: { on_unknown: 'hold' } },
    parts: [
      { kind: 'text', buttons: false },
      { kind: 'text', buttons: false },
    ],
    partsDone: new Map([[0, 'mid.1']]),
    outcomeUnknown: true,
  });
  expect(errorOf(outcome)).toMatchObject({ category: 'PERMANENT', code: 'outcome_unknown' });
});
