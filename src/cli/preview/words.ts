// What a preview says of a channel, in words.

import type { ChannelPreview, PostPreview } from '../../preview/preview.ts';
import type { Violation } from '../../preview/violations.ts';
import { stepInBrief } from '../screen/next-step.ts';
import { inFull } from '../screen/times.ts';

const many = new Intl.NumberFormat('en');

export function channelInWords(channel: ChannelPreview, now: Date): string {
  if (channel.verdict === 'not_routed') return ruleInWords(channel);
  if (channel.verdict === 'deduped') return repeatInWords(channel, now);
  const [violation] = channel.post?.violations ?? [];
  if (violation !== undefined) return violation.message;
  return stepOf(channel, now);
}

function ruleInWords({ rule, tags }: ChannelPreview): string {
  const named = (tags ?? []).join(', ');
  if (rule === 'include_any') return `the post has none of the tags ${named} (include_any)`;
  if (rule === 'include_all') return `the post lacks ${named} (include_all)`;
  if (rule === 'exclude') return `the post has ${named}, which the channel keeps out (exclude)`;
  if (rule === 'text_only') return 'the channel takes text only, and the post has none';
  return 'the channel is disabled';
}

function repeatInWords(channel: ChannelPreview, now: Date): string {
  const { because, repeats, score, signs, until } = channel;
  const end = until === null ? '' : `; again from ${inFull(new Date(until), now)} on`;
  if (because === 'similar') {
    const by = (signs ?? []).join(', ');
    return `nearly the same (${score} by ${by}) as delivery ${repeats}${end}`;
  }
  if (because === 'inflight') return `the same post is on its way there (delivery ${repeats})`;
  return `the same post was sent there (delivery ${repeats})${end}`;
}

function stepOf({ next }: ChannelPreview, now: Date): string {
  if (next === null) return '';
  const gate = stepInBrief(next, now);
  if (gate !== '') return `would wait: ${gate}`;
  const { ahead = 0, at } = next;
  const line = ahead === 0 ? '' : `; ${ahead} of its channel ${ahead === 1 ? 'goes' : 'go'} first`;
  return at === null ? `could go out at once${line}` : `could go out at ${inFull(at, now)}${line}`;
}

/** How long the text is, its format and template, and in how many parts it goes out; empty when nothing is known. */
export function postInWords(post: PostPreview): string {
  const { length, lengthMax, countsMarkup, format, templateVersion, leftOut, parts } = post;
  const { violations } = post;
  const measure = countsMarkup && format !== null ? 'characters with markup' : 'characters';
  const facts = [
    ...(length === null ? [] : [`${many.format(length)} of ${many.format(lengthMax)} ${measure}`]),
    ...(violations.length > 0 ? [] : [format ?? 'plain text']),
    ...(templateVersion === null ? [] : [`template ${templateVersion}`]),
    ...(parts.length === 0 ? [] : [parts.length === 1 ? '1 part' : `${parts.length} parts`]),
    ...(leftOut?.text === true ? ['the text is cut'] : []),
    ...(leftOut?.media === undefined ? [] : [`${leftOut.media} media are left out`]),
  ];
  return facts.join(' · ');
}

const texts = {
  post: 'the post',
  rendered_text: 'the text as it would be sent',
  shown_text: 'the text as readers would see it',
} as const;

/** Where it is: `line 3, column 7 of text in the post`. */
export function placeInWords({ path, in: where, place }: Violation): string {
  if (place === null) return path === null ? '' : `at ${path}`;
  const of = path === null || where !== 'post' ? '' : ` of ${path}`;
  const text = where === null ? '' : ` in ${texts[where]}`;
  return `line ${place.line}, column ${place.column}${of}${text}`;
}
