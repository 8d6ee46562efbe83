// Why the database refuses a post, in words for its sender.

import type { InvalidInputError } from '../errors.ts';

/** For valid JSON that PostgreSQL cannot store. */
const words: Readonly<Record<string, string>> = {
  '22P05': 'a text of the post holds the character U+0000, which cannot be kept',
  '22P02':
    'a text of the post holds half of a surrogate pair (\\ud800 to \\udfff alone), which cannot be kept',
  '22003': 'a number of the post is too large to be kept',
};

export function whyNotKept({ sqlstate = '', message }: InvalidInputError): string {
  if (sqlstate === 'OR001') {
    return message.replace(/^\w+: (raw_payload cannot be taken in: )?/, '');
  }
  return words[sqlstate] ?? 'the post holds a value that cannot be kept';
}
