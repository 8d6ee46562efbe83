// InputMedia: the JSON in which albums and editMessageMedia name their files.

import type { Call } from './call.ts';
import type { FormattedText } from './entities.ts';
import { isObject, type JsonObject, optionalFlag, optionalText, requiredText } from './json.ts';
import { findSource, type ReadyFile, readyFile } from './media.ts';
import { refusal, within } from './refusals.ts';
import { mediaContent } from './send.ts';
import { finishCaption, parseText } from './text.ts';
import type { MediaContent, MediaKind } from './world.ts';

/** A medium that was read; its file is not checked yet. */
export interface InputMedia {
  readonly kind: MediaKind;
  readonly caption: FormattedText;
  readonly object: JsonObject;
  readonly source: Parameters<typeof readyFile>[3];
}

const kinds = ['photo', 'video', 'animation', 'audio', 'document'] as const;

export function parseInputMedia(call: Call, value: unknown, forAlbum: boolean): InputMedia {
  return within('InputMedia', () => {
    if (!isObject(value)) throw refusal('expected an Object');
    const mode = optionalText(value, 'parse_mode');
    const caption = parseText(optionalText(value, 'caption'), mode, value['caption_entities']);
    for (const flag of ['has_spoiler', 'show_caption_above_media']) optionalFlag(value, flag);
    const media = optionalText(value, 'media');
    const source = media === '' ? undefined : findSource(call.parameters, 'media', media);
    if (source === undefined) throw refusal('media not found');
    const type = requiredText(value, 'type');
    if (forAlbum && type === 'animation') {
      throw refusal(`type "${type}" can't be used in sendMediaGroup`);
    }
    const kind = kinds.find((each) => each === type);
    if (kind === undefined) throw refusal(`type "${type}" is unsupported`);
    return { kind, caption, object: value, source };
  });
}

/** The content of the medium, and what the core will say to it. */
export function readyMedia(
  { world, bot }: Call,
  { kind, source, caption, object }: InputMedia,
): { readonly content: MediaContent; readonly core: ReadyFile['core'] } {
  const { file, core } = readyFile(world, bot, kind, source);
  const content = mediaContent(kind, file, finishCaption(caption), {
    flag: (name) => optionalFlag(object, name),
    text: (name) => optionalText(object, name),
  });
  return { content, core };
}
