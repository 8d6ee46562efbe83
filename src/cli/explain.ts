import {
  type Explanation,
  explainDelivery,
  explainPost,
  findPosts,
  type PostExplanation,
} from '../db/explain.ts';
import { showDelivery } from '../db/inspect.ts';
import { NotFoundError } from '../errors.ts';
import { askingOptions, askingUsage, inWorkspace, type Place, withHint } from './asking.ts';
import { type Command, exitCodes, UsageError } from './command.ts';
import { type Answer, printAnswer } from './explain/view.ts';
import { readOptions, text } from './given/options.ts';
import { deliveryMeant, isWholeId, mayBeId } from './given/short-ids.ts';
import { formOf } from './screen/form.ts';
import { whileWaiting } from './screen/waiting.ts';

const usage = `outrider explain <what> [--channel C] [options]

Says where a post is and why: what it waits for and until when, why a channel did not take it, what a platform refused,
or that it never came in. The main reason comes first, then what to do about it, then what happened so far.

<what> is one of
  the id of a delivery or a message, of which four digits or more may be enough
  a source_ref, or the name of an item of a pull source
  words of the post: exactly its text, or a part or some words of one of the newest 2000 posts

  --channel C     only what became of it in that channel

Exit code 0: it was found; 1: it was not, and the answer says what is known about why.

${askingUsage}`;

export const explain: Command = {
  usage,
  async run(args, terminal) {
    const { values, positionals } = readOptions(args, { ...askingOptions, channel: text });
    const form = formOf(terminal, values);
    const search = positionals.join(' ').trim();
    if (search === '') {
      throw new UsageError('what is to be explained? name an id, a source_ref or words of a post');
    }
    const answer = await inWorkspace(terminal, values.workspace, (place) =>
      whileWaiting(terminal, 'looking for it', answerTo(place, search, values.channel)),
    );
    printAnswer(terminal, answer, { form, now: new Date() });
    return answer.isFound ? exitCodes.ok : exitCodes.failed;
  },
};

async function answerTo(
  place: Place,
  search: string,
  channelId: string | undefined,
): Promise<Answer> {
  const deliveryId = channelId === undefined ? await deliveryNamed(place, search) : undefined;
  return deliveryId === undefined
    ? answerAboutPost(place, search, channelId)
    : answerAboutDelivery(place, deliveryId);
}

/** The delivery that the words name by its id; undefined if they are, or may be, something else. */
async function deliveryNamed(place: Place, given: string): Promise<string | undefined> {
  if (isWholeId(given)) return given;
  if (!mayBeId(given)) return undefined;
  const { client, workspaceId } = place;
  const [found] = await findPosts(client, { workspaceId, search: given, limit: 1 });
  if (found === undefined || found.sourceRef === given) return undefined;
  try {
    return await deliveryMeant(place, given);
  } catch (error) {
    if (error instanceof NotFoundError) return undefined;
    throw error;
  }
}

/** The reasons that say that there is no such delivery. */
const missing: readonly unknown[] = ['unknown_delivery', 'purged'];

async function answerAboutDelivery(place: Place, deliveryId: string): Promise<Answer> {
  const { client, workspaceId } = place;
  const reasons = await explainDelivery(client, { workspaceId, deliveryId });
  if (!missing.includes(reasons[0]?.detail['reason'])) {
    const shown = await showDelivery(client, workspaceId, deliveryId);
    const { status } = shown.delivery;
    const { channel_id: channelId } = shown.channel;
    const { message_id: messageId } = shown.message;
    const about = { messageId, deliveryId, channelId, status };
    return {
      isFound: true,
      post: await postOf(place, messageId),
      reasons: reasons.map((each) => ({ ...about, ...each })),
      events: shown.events,
    };
  }
  // It may be the id of a message.
  const post = await answerAboutPost(place, deliveryId, undefined);
  return post.isFound ? post : { ...post, reasons: reasons.map(aboutNothing) };
}

function aboutNothing(reason: Explanation): PostExplanation {
  return { messageId: null, deliveryId: null, channelId: null, status: null, ...reason };
}

async function answerAboutPost(
  place: Place,
  search: string,
  channelId: string | undefined,
): Promise<Answer> {
  const { client, workspaceId } = place;
  const hint =
    channelId === undefined ? 'a few words of the post are enough' : 'outrider channels lists them';
  const reasons = await withHint(explainPost(client, { workspaceId, search, channelId }), hint);
  const messageId = reasons[0]?.messageId ?? null;
  if (messageId === null) return { isFound: false, post: undefined, reasons, events: [] };
  const deliveryIds = [...new Set(reasons.flatMap((each) => each.deliveryId ?? []))];
  const [only, ...more] = deliveryIds;
  const isOne = only !== undefined && more.length === 0;
  return {
    isFound: true,
    post: await postOf(place, messageId),
    reasons,
    events: isOne ? (await showDelivery(client, workspaceId, only)).events : [],
  };
}

async function postOf({ client, workspaceId }: Place, messageId: string): Promise<Answer['post']> {
  const [post] = await findPosts(client, { workspaceId, search: messageId, limit: 1 });
  return post;
}
