import { writeFile } from 'node:fs/promises';
import { OutriderError } from '../errors.ts';
import { type ChannelPreview, type Preview, previewPost } from '../preview/preview.ts';
import { askingOptions, askingUsage, inWorkspace, type Place } from './asking.ts';
import { chosenChannels } from './channels/choice.ts';
import { type Command, exitCodes, UsageError } from './command.ts';
import { readOptions, text, texts } from './given/options.ts';
import { givenPost, judged, postOptions, postUsage } from './given/post.ts';
import { printPreview } from './preview/view.ts';
import { channelInWords } from './preview/words.ts';
import { formOf } from './screen/form.ts';
import { whileWaiting } from './screen/waiting.ts';

const usage = `outrider preview [post.json | - | --text TEXT] [options]

Shows what would become of a post if it were taken in now: in each channel whether it is routed there and would be a
repeat, the post as the platform would show it, its parts, its length against the limit, and what is wrong with it, and
where. Nothing is written or sent, and links of media are not fetched.
Exit code 0: a channel would queue it, or has it already; 1: no channel would take it.
For example: outrider preview --title 'Lost dog' --text 'Ginger, answers to Bim.' --tag lost

${postUsage}
  --channel C         only this channel; * stands for any characters; as often as needed
  --html FILE         writes a page with the chats drawn as their apps draw them

${askingUsage}`;

export const preview: Command = {
  usage,
  async run(args, terminal) {
    const options = { ...askingOptions, ...postOptions, channel: texts, html: text } as const;
    const { values, positionals } = readOptions(args, options);
    const form = formOf(terminal, values);
    const [word, ...more] = positionals;
    if (more.length > 0) throw new UsageError(`"${more[0]}": a preview is of one post`);
    // A word is a file, as --file is.
    const isFile = word !== undefined && word !== '-';
    if (isFile && values.file !== undefined) {
      throw new UsageError(`"${word}": the post is given with --file already`);
    }
    const post = await givenPost(
      isFile ? { ...values, file: word } : values,
      isFile ? [] : positionals,
      terminal,
      'what is to be shown?',
    );
    const shown = await inWorkspace(terminal, values.workspace, (place) =>
      whileWaiting(terminal, 'asking the database', previewOf(place, post, values.channel ?? [])),
    );
    printPreview(terminal, shown, form);
    if (values.html !== undefined) await writePage(values.html, shown);
    return isTaken(shown) ? exitCodes.ok : exitCodes.failed;
  },
};

async function previewOf(place: Place, post: object, names: readonly string[]): Promise<Preview> {
  const { client, workspaceId } = place;
  const chosen = names.length === 0 ? undefined : await chosenChannels(place, { names });
  const ids = chosen && new Set(chosen);
  const request = {
    workspaceId,
    endpointId: null,
    rawPost: JSON.stringify(post),
    wants: ids && ((id: string) => ids.has(id)),
  };
  return judged(previewPost(client, request), 'correct the post and look at it again');
}

/** Some channel would queue it, or has it, or is about to get it. */
function isTaken(shown: Preview): boolean {
  if (shown.verdict !== 'accepted') return false;
  return shown.channels.some(
    ({ verdict }: ChannelPreview) => verdict === 'queued' || verdict === 'deduped',
  );
}

async function writePage(file: string, shown: Preview): Promise<void> {
  const { previewPage } = await import('../preview/page.ts');
  try {
    const now = new Date();
    const page = previewPage(shown, now, (channel) => channelInWords(channel, now));
    await writeFile(file, page);
  } catch {
    throw new OutriderError('invalid_input', `${file} cannot be written`, {
      hint: 'name a file in a folder that is there and may be written to',
    });
  }
}
