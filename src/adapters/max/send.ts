// One post to one chat, part by part.

import type { Part, SendMedia, SendOptions, SendOutcome, SendRequest } from '../adapter.ts';
import { type PartOutcome, type PartToSend, sendParts } from '../parts.ts';
import { type Answer, judge } from './answers.ts';
import type { Api } from './api.ts';
import { keyboard, type MediaAttachment, messageBody } from './message-body.ts';
import { sentShape } from './messages.ts';
import { reconcile } from './recovery.ts';
import { readTarget, type Target } from './target.ts';
import { createUploads, type Uploads } from './uploads.ts';

/** How long old messages and tokens are of use. */
export interface Spans {
  /** How far back we look for a message of an earlier attempt. */
  readonly lookBackMs: number;
  /** How long we use the token of an upload again. */
  readonly keepTokensMs: number;
}

export async function sendPost(
  api: Api,
  request: SendRequest,
  options: SendOptions,
  { lookBackMs, keepTokensMs }: Spans,
): Promise<SendOutcome> {
  const target = readTarget(request.channel);
  const uploads = createUploads(api, keepTokensMs);
  return sendParts(request, options, async (next) =>
    'code' in target
      ? { ok: false, error: target }
      : sendPart({ api, request, target, uploads, lookBackMs }, next),
  );
}

interface Sending {
  readonly api: Api;
  readonly request: SendRequest;
  readonly target: Target;
  readonly uploads: Uploads;
  readonly lookBackMs: number;
}

async function sendPart(sending: Sending, next: PartToSend): Promise<PartOutcome> {
  const { api, request, target, uploads, lookBackMs } = sending;
  const media = mediaOf(request, next.part);
  const before = next.mayHaveArrived
    ? await reconcile(api, { request, target, lookBackMs, next, media })
    : undefined;
  if (before !== undefined) return before;
  const attached = await uploads.attach(media);
  if (!attached.ok) return attached;
  const outcome = await post(sending, next.part, attached.value);
  if (outcome.ok || !mayMeanTokens(outcome)) return outcome;
  if (!(await uploads.forget(media))) return outcome;
  const anew = await uploads.attach(media);
  return anew.ok ? post(sending, next.part, anew.value) : anew;
}

/** Nobody knows what MAX answers to a token that has expired. A refusal may mean that, and it has sent nothing. */
function mayMeanTokens({ error: { category, scope }, said }: Refused): boolean {
  const isRefusal = category === 'PERMANENT' && (scope === 'delivery' || said === 'not.found');
  return isRefusal && said !== 'attachment.not.supported';
}

type Refused = Extract<Answer<unknown>, { ok: false }>;

function mediaOf(request: SendRequest, part: Part): SendMedia[] {
  return part.kind === 'media' ? part.media.flatMap((place) => request.media[place] ?? []) : [];
}

async function post(
  { api, request, target }: Sending,
  part: Part,
  media: readonly MediaAttachment[],
): Promise<Extract<PartOutcome, { ok: true }> | Refused> {
  const preview = request.disablePreview ? { disable_link_preview: 'true' } : {};
  const reply = await api.call({
    method: 'POST',
    path: '/messages',
    query: { ...target.recipient, ...preview },
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
