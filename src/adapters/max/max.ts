// The MAX adapter.

import { z } from 'zod';
import type { Adapter, Part, SendMedia, SendRequest } from '../adapter.ts';
import { sendError } from '../answer.ts';
import { deliveryTime } from '../delivery-time.ts';
import { type PartOutcome, type PartToSend, sendParts } from '../parts.ts';
import type { Transport } from '../transport.ts';
import { type Judged, judge } from './answers.ts';
import { type Api, type Caller, openApi } from './api.ts';
import { edit, remove } from './changes.ts';
import { checkToken } from './check.ts';
import { keyboard, type MediaAttachment, messageBody } from './message-body.ts';
import { sentShape } from './messages.ts';
import { lookFor } from './read-back.ts';
import { type Recipient, recipientOf } from './recipient.ts';
import { createUploads, type Uploads } from './uploads.ts';

export interface MaxOptions {
  readonly transport: Transport;
  readonly baseUrl?: string | undefined;
  /** For one call; an upload gets more, by its size. */
  readonly timeoutMs?: number | undefined;
  /** How old a message may be, at most, that an earlier attempt has left. */
  readonly lookBackMs?: number | undefined;
  /** How long an upload is referred to by its token; MAX does not say how long one is good. */
  readonly keepTokensMs?: number | undefined;
  readonly now?: (() => Date) | undefined;
}

/** The clocks of MAX and ours may differ. */
const skewMs = 2 * 60_000;

export function createMaxAdapter(options: MaxOptions): Adapter {
  const {
    transport,
    baseUrl = 'https://platform-api2.max.ru',
    timeoutMs = 30_000,
    lookBackMs = 24 * 3_600_000,
    keepTokensMs = 24 * 3_600_000,
    now = () => new Date(),
  } = options;
  const open = (caller: Caller) => openApi({ baseUrl, transport, timeoutMs, now }, caller);
  return {
    platform: 'max',
    async send(request, sendOptions) {
      const recipient = recipientOf(request.channel.targetId);
      if (!recipient.ok) return sendParts(request, sendOptions, async () => recipient);
      const { signal, holds, beforeCall } = sendOptions;
      const api = open({ token: request.token, signal, holds, beforeCall });
      const sender = {
        api,
        request,
        recipient: recipient.value,
        uploads: createUploads(api, keepTokensMs),
      };
      return sendParts(request, sendOptions, (next) => sendPart(sender, next, lookBackMs));
    },
    edit: (sent, change, signal) => edit(open({ token: sent.token, signal }), sent, change),
    remove: (sent, signal) => remove(open({ token: sent.token, signal }), sent),
    check: (token, signal) => checkToken(open({ token, signal })),
  };
}

interface Sender {
  readonly api: Api;
  readonly request: SendRequest;
  readonly recipient: Recipient;
  readonly uploads: Uploads;
}

async function sendPart(
  sender: Sender,
  next: PartToSend,
  lookBackMs: number,
): Promise<PartOutcome> {
  const { uploads, request } = sender;
  const media = mediaOf(request, next.part);
  if (!media.ok) return media;
  const before = next.mayHaveArrived
    ? await reconcile(sender, next, media.value, lookBackMs)
    : undefined;
  if (before !== undefined) return before;
  const attached = await uploads.attach(media.value);
  if (!attached.ok) return attached;
  const outcome = await post(sender, next.part, attached.value);
  if (outcome.ok || !mayMeanTokens(outcome)) return outcome;
  if (!(await uploads.forget(media.value))) return outcome;
  const anew = await uploads.attach(media.value);
  return anew.ok ? post(sender, next.part, anew.value) : anew;
}

/** What MAX says to a token that has ended is not known: a refusal may mean it, and has sent nothing. */
function mayMeanTokens({ error: { category, scope }, said }: Refused): boolean {
  const isRefusal = category === 'PERMANENT' && (scope === 'delivery' || said === 'not.found');
  return isRefusal && said !== 'attachment.not.supported';
}

type Refused = Extract<Judged<unknown>, { ok: false }>;

function mediaOf(request: SendRequest, part: Part): Judged<SendMedia[]> {
  const places = part.kind === 'media' ? part.media : [];
  const media = places.map((place) => request.media[place]).filter((each) => each !== undefined);
  if (media.length === places.length) return { ok: true, value: media };
  return { ok: false, error: sendError('unreadable_delivery', 'a part names media that are none') };
}

const settingsShape = z.object({
  on_unknown: z.enum(['retry', 'hold']).optional().catch(undefined),
});

/** What an earlier attempt has left of the part; undefined when it is to be sent. */
async function reconcile(
  { api, request, recipient }: Sender,
  { part, item }: PartToSend,
  media: readonly SendMedia[],
  lookBackMs: number,
): Promise<PartOutcome | undefined> {
  const madeAt = deliveryTime(request.deliveryId)?.getTime() ?? 0;
  const since = new Date(Math.max(madeAt - skewMs, api.now().getTime() - lookBackMs));
  const finding = await lookFor(api, { request, part, item, media, recipient, since });
  const asked = settingsShape.safeParse(request.channel.settings).data?.on_unknown;
  switch (finding.kind) {
    case 'found':
      return { ok: true, providerMessageId: finding.mid };
    case 'failed':
      return { ok: false, error: finding.error };
    case 'unreadable':
      return asked === 'hold' ? held('the chat cannot be read') : undefined;
    case 'unclear':
      return asked === 'retry' ? undefined : held(finding.reason);
    case 'absent':
      break;
  }
  return undefined;
}

/** For an operator, who sees the chat. */
function held(reason: string): PartOutcome {
  const words = `an earlier attempt may have arrived, and ${reason}`;
  return { ok: false, error: sendError('outcome_unknown', words, { category: 'PERMANENT' }) };
}

async function post(
  { api, request, recipient }: Sender,
  part: Part,
  media: readonly MediaAttachment[],
): Promise<Extract<PartOutcome, { ok: true }> | Refused> {
  const preview = request.disablePreview ? { disable_link_preview: 'true' } : {};
  const reply = await api.call({
    method: 'POST',
    path: '/messages',
    query: { ...recipient, ...preview },
    json: bodyOf(request, part, media),
  });
  const answer = judge(reply, 'send', sentShape, api.now());
  if (!answer.ok) return answer;
  return { ok: true, providerMessageId: answer.value.message.body.mid };
}

function bodyOf(request: SendRequest, part: Part, media: readonly MediaAttachment[]) {
  const hasText = part.kind === 'text' || part.caption;
  const attachments = [...media, ...(part.buttons ? keyboard(request.buttons) : [])];
  return messageBody(
    hasText && request.text !== '' ? request.text : undefined,
    request.format,
    attachments.length > 0 ? attachments : undefined,
  );
}
