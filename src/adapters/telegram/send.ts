// One post to one chat, part by part.

import { z } from 'zod';
import type { SendMedia, SendOptions, SendOutcome, SendRequest } from '../adapter.ts';
import { type PartOutcome, type PartToSend, sendParts } from '../parts.ts';
import { callTimeoutMs } from '../settings.ts';
import type { Answer, Call, TelegramApi } from './api.ts';
import { albumCall, mediumCall, textCall } from './calls.ts';
import { afterUnknown, heldBack } from './recovery.ts';
import { SentMessage } from './sent-message.ts';
import { readTarget, type Target } from './target.ts';
import { SendFiles } from './uploads.ts';

export async function sendPost(
  api: TelegramApi,
  request: SendRequest,
  options: SendOptions,
): Promise<SendOutcome> {
  const target = readTarget(request.channel);
  const files = new SendFiles();
  const send =
    'code' in target
      ? async () => ({ ok: false, error: target }) as const
      : partSender({ api, request, options, target, files });
  const outcome = await sendParts(request, options, send);
  // After the record of all parts but the last: should this process end in between, only an upload is repeated.
  await files.keep();
  if (!outcome.ok) return outcome;
  const [first = ''] = outcome.providerMessageId.split(',');
  return { ...outcome, providerMessageId: first };
}

interface Sending {
  readonly api: TelegramApi;
  readonly request: SendRequest;
  readonly options: SendOptions;
  readonly target: Target;
  readonly files: SendFiles;
}

function partSender(sending: Sending): (next: PartToSend) => Promise<PartOutcome> {
  const { request, target, files } = sending;
  const post = poster(sending);
  return async ({ part, mayHaveArrived }) => {
    const held = mayHaveArrived ? heldBack(target) : undefined;
    if (held !== undefined) return { ok: false, error: held };
    if (part.kind === 'text') {
      return post([], (chatId) => textCall(request, part, { ...target, chatId }));
    }
    const media = part.media.flatMap((place) => request.media[place] ?? []);
    const [medium, ...more] = media;
    return post(media, (chatId) =>
      medium !== undefined && more.length === 0
        ? mediumCall(request, part, medium, { ...target, chatId }, files)
        : albumCall(request, part, media, { ...target, chatId }, files),
    );
  };
}

type Messages = readonly z.output<typeof SentMessage>[];

/**
 * Sends the messages of one call. After two refusals, which leave nothing behind, it calls again at once: when the
 * chat has moved, to its new id; when Telegram no longer knows files by their names, with the files uploaded anew.
 */
function poster({ api, request, options, target, files }: Sending) {
  let { chatId } = target;
  let hasMoved = false;
  return async (
    media: readonly SendMedia[],
    compose: (chatId: string) => Call,
  ): Promise<PartOutcome> => {
    const { signal, holds, beforeCall, onAnswer } = options;
    const timeoutMs = callTimeoutMs(request.channel);
    const caller = { token: request.token, signal, holds, beforeCall, onAnswer, timeoutMs };
    const Result = resultOf(media.length);
    for (;;) {
      const answer: Answer<Messages> = await api.call(caller, compose(chatId), Result);
      if (answer.ok) {
        files.learn(media, answer.value);
        const ids = answer.value.map(({ message_id: id }) => id);
        return { ok: true, providerMessageId: ids.join(',') };
      }
      if (answer.movedTo !== undefined && !hasMoved) {
        hasMoved = true;
        chatId = answer.movedTo;
        await tell(options, chatId);
        continue;
      }
      if (answer.note === 'file_refused' && (await files.forget(media))) continue;
      return { ok: false, error: afterUnknown(answer.error, target) };
    }
  };
}

const text = SentMessage.pick({ message_id: true }).transform((message) => [message]);
const medium = SentMessage.transform((message) => [message]);

/** From a text message we read only its number. */
function resultOf(media: number): z.ZodType<Messages> {
  if (media > 1) return z.array(SentMessage).length(media);
  return media === 1 ? medium : text;
}

/** If the move cannot be recorded, Telegram tells us again next time. */
async function tell(options: SendOptions, targetId: string): Promise<void> {
  try {
    await options.onMoved(targetId);
  } catch {
    // The post goes to the new chat all the same.
  }
}
