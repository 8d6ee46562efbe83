// sendMediaGroup.

import { requireRightToSend } from './access.ts';
import type { Call, Method } from './call.ts';
import { parseInputMedia, readyMedia } from './input-media.ts';
import { decode, isList } from './json.ts';
import { messageJson } from './message-json.ts';
import { refusal } from './refusals.ts';
import { type Envelope, post, readEnvelope } from './send.ts';
import type { MediaContent, MediaKind } from './world.ts';

const albumMost = 10;
/** An album of one of these kinds must not contain other kinds. */
const single: readonly MediaKind[] = ['document', 'audio'];
const nouns = { document: 'Document', audio: 'Audio', photo: 'Photo', video: 'Video' };

export const sendMediaGroup: Method = (call) => {
  const { world, bot, parameters } = call;
  const list = decode(parameters.required('media'), "Can't parse media JSON object");
  if (!isList(list)) throw refusal('Expected an Array of InputMedia');
  const inputs = list.map((value) => parseInputMedia(call, value, true));
  // An album has no keyboard, but a faulty one is refused all the same.
  const envelope = { ...readEnvelope(call), keyboard: undefined };
  for (const { kind } of inputs) requireRightToSend(world, bot, envelope.chat, kind);
  const ready = inputs.map((input) => readyMedia(call, input));
  const contents = ready.map(({ content }) => content);
  checkMix(contents);
  const accident = world.albumAccidents.get(envelope.chat.id);
  if (accident !== undefined) return partly(call, envelope, contents, accident);
  const failed = ready.findIndex(({ core }) => core !== undefined);
  const core = ready[failed]?.core;
  if (core !== undefined) throw itemFailed(failed + 1, core);
  checkGroupable(contents);
  const album = albumId(call);
  return post(call, envelope, contents, album).map((message) => messageJson(world, bot, message));
};

function checkMix(contents: readonly MediaContent[]): void {
  if (contents.length > albumMost) throw refusal('Too many messages to send as an album');
  if (contents.length === 0) throw refusal('There are no messages to send');
  const kinds = new Set(contents.map(({ kind }) => kind));
  for (const kind of kinds) {
    if (kinds.size > 1 && single.includes(kind)) {
      const noun = Object.entries(nouns).find(([name]) => name === kind)?.[1];
      throw refusal(`${noun} can't be mixed with other media types`);
    }
  }
  if (new Set(contents.map(({ above }) => above)).size > 1) {
    throw refusal('Parameter show_caption_above_media must be the same for all messages');
  }
}

/** A file that the core calls an animation or a voice message cannot be in an album, whatever the call says. */
function checkGroupable(contents: readonly MediaContent[]): void {
  if (contents.some(({ file }) => ['animation', 'voice'].includes(file.kind))) {
    throw refusal('MEDIA_GROUPED_INVALID');
  }
}

/** The core takes only the first items: those stay in the chat, and the call fails. */
function partly(
  call: Call,
  envelope: Envelope,
  contents: readonly MediaContent[],
  { accept, error }: { readonly accept: number; readonly error: string },
): never {
  call.world.albumAccidents.delete(envelope.chat.id);
  const accepted = contents.slice(0, accept);
  if (accepted.length > 0) post(call, envelope, accepted, albumId(call));
  throw itemFailed(accepted.length + 1, error);
}

function itemFailed(number: number, raw: string): Error {
  if (raw === 'Group send failed') return refusal(raw);
  return refusal(`Failed to send message #${number} with the error message "${raw}"`);
}

function albumId({ world }: Call): string {
  return String(13_000_000_000_000_000n + BigInt(world.nextSerial()) * 7919n);
}
