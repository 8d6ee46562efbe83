// A rule of a workspace's bot: what it matches, and what the bot then answers.

import { z } from 'zod';

const words = z.array(z.string().min(1).max(100)).max(200);

const Pattern = z
  .strictObject({
    keywords: words.describe('The rule matches a text that has one of them.'),
    mode: z
      .enum(['contains', 'stem', 'fuzzy', 'any'])
      .describe(
        'contains: anywhere in the text; stem: the same words in any form; fuzzy: also with one typing error in a word of five letters or more; any: free input, without keywords. Default: contains.',
      ),
    not: words.describe('A text that has one of them is not matched.'),
    validate: z
      .string()
      .max(200)
      .describe(
        'What free input must look like: order_number, number, phone, email, or a regular expression.',
      ),
    payloads: z.array(z.string().min(1)).max(200).describe('Payloads of buttons that it matches.'),
    started: z.boolean().describe('true: it matches when somebody starts the bot.'),
  })
  .partial();

const label = z.string().min(1).max(64);
const Button = z.union(
  [
    z.strictObject({ text: label, url: z.string().describe('A button that opens this address.') }),
    z.strictObject({
      text: label,
      payload: z.string().min(1).max(64).describe('A button that answers the bot.'),
    }),
  ],
  'must have a text, and either a url or a payload',
);

const state = z.string().regex(/^[a-z0-9][a-z0-9_.-]{0,63}$/, 'must be a name in small letters');

export const BotRule = z
  .strictObject({
    enabled: z.boolean().describe('Default: true.'),
    intent: z.string().min(1).max(64).describe('What it is about, for reports. Default: its id.'),
    pattern: Pattern,
    priority: z.int().describe('Of several rules that match, the highest answers. Default: 0.'),
    response_template: z
      .string()
      .min(1)
      .max(4000)
      .describe('The answer: {{name}} of the person, and what was collected.'),
    buttons: z.array(z.array(Button).min(1).max(3)).min(1).max(10).nullable(),
    from_state: state.nullable().describe('The state that it is for; without it, every state.'),
    next_state: state.nullable().describe('The state after it; default ends the dialogue.'),
    max_turns: z
      .int()
      .min(1)
      .max(100)
      .describe('Messages of a dialogue that it opens, before a person takes over. Default: 5.'),
    timeout: z
      .string()
      .nullable()
      .describe('Of the state that it sets. Default: bot_state_timeout.')
      .meta({ examples: ['10 minutes', '2 hours'] }),
    collect: z.string().nullable().describe('The name by which templates find the free input.'),
    retry_template: z
      .string()
      .min(1)
      .max(4000)
      .nullable()
      .describe('Asks again when the free input is not valid.'),
    escalate: z.boolean().describe('true: a person takes the chat over. Default: false.'),
  })
  .partial();
