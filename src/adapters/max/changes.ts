// Changes or takes back what was sent.

import type { ChangeOutcome, Edit, SentPost } from '../adapter.ts';
import { recoded, sendError } from '../answer.ts';
import { type Answer, judge } from './answers.ts';
import type { Api } from './api.ts';
import { type Attachment, keyboard, messageBody } from './message-body.ts';
import { type MessageAttachment, messageShape, successShape } from './messages.ts';
import type { UploadType } from './upload-answers.ts';

/** The text and the buttons of a post are always in its first message. */
export async function editPost(api: Api, post: SentPost, change: Edit): Promise<ChangeOutcome> {
  const [mid] = post.providerMessageIds;
  if (mid === undefined) {
    return {
      ok: false,
      error: sendError('message_not_found', 'the post has no message to change'),
    };
  }
  const attachments = change.isCaption
    ? await besideMedia(api, mid, change)
    : ({ ok: true, value: keyboard(change.buttons) } as const);
  if (!attachments.ok) return attachments;
  const reply = await api.call({
    method: 'PUT',
    path: '/messages',
    query: { message_id: mid },
    json: messageBody(change.text, change.format, attachments.value),
  });
  const answer = judge(reply, 'change', successShape, api.now());
  if (answer.ok) return { ok: true };
  if (!(await isGone(api, mid, answer))) return answer;
  return { ok: false, error: recoded(answer.error, 'message_not_found') };
}

/**
 * Buttons are an attachment, and a list of attachments replaces all that the message has: an edit with other buttons
 * has to name the media again. Undefined when the message has these buttons already: then nothing is replaced.
 */
async function besideMedia(
  api: Api,
  mid: string,
  change: Edit,
): Promise<Answer<Attachment[] | undefined>> {
  const answer = judge(await readMessage(api, mid), 'read', messageShape, api.now());
  if (!answer.ok) return answer;
  const attachments = answer.value.body?.attachments ?? [];
  if (hasButtons(attachments, change)) return { ok: true, value: undefined };
  const named = attachments.filter(({ type }) => type !== 'inline_keyboard').map(nameAgain);
  const media = named.filter((each) => each !== undefined);
  if (media.length < named.length) {
    const words = 'the buttons cannot be changed: MAX does not give the tokens of the media';
    return { ok: false, error: sendError('not_changeable', words) };
  }
  return { ok: true, value: [...media, ...keyboard(change.buttons)] };
}

function readMessage(api: Api, mid: string) {
  return api.call({ method: 'GET', path: `/messages/${encodeURIComponent(mid)}` });
}

function hasButtons(attachments: readonly MessageAttachment[], { buttons }: Edit): boolean {
  const shown = attachments
    .filter(({ type }) => type === 'inline_keyboard')
    .flatMap(({ payload }) => payload?.buttons ?? []);
  return wordsAndTargets(shown) === wordsAndTargets(buttons);
}

interface ShownButton {
  readonly text: string;
  readonly url?: string | null | undefined;
  readonly payload?: string | null | undefined;
}

function wordsAndTargets(rows: readonly (readonly ShownButton[])[]): string {
  return JSON.stringify(
    rows.map((row) => row.map(({ text, url, payload }) => [text, url ?? null, payload ?? null])),
  );
}

const uploadTypes: readonly UploadType[] = ['image', 'video', 'audio', 'file'];

function nameAgain({ type, payload }: MessageAttachment): Attachment | undefined {
  const known = uploadTypes.find((each) => each === type);
  return known && payload?.token ? { type: known, payload: { token: payload.token } } : undefined;
}

/** A message that is gone already counts as removed. */
export async function removePost(api: Api, post: SentPost): Promise<ChangeOutcome> {
  for (const mid of post.providerMessageIds) {
    const reply = await api.call({
      method: 'DELETE',
      path: '/messages',
      query: { message_id: mid },
    });
    const answer = judge(reply, 'change', successShape, api.now());
    if (!answer.ok && !(await isGone(api, mid, answer))) return answer;
  }
  return { ok: true };
}

/** Nobody knows what MAX answers about a missing message. Where only the flag says no, we read the message to see. */
async function isGone(api: Api, mid: string, refusal: Refused): Promise<boolean> {
  if (isMissing(refusal)) return true;
  if (refusal.said !== 'success_false') return false;
  const answer = judge(await readMessage(api, mid), 'read', messageShape, api.now());
  return !answer.ok && isMissing(answer);
}

type Refused = Extract<Answer<unknown>, { ok: false }>;

function isMissing({ error }: Refused): boolean {
  return error.code === 'message_not_found';
}
