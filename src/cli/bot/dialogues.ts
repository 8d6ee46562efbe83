// Golden dialogues: what people say to a bot, and what it must do.

import { z } from 'zod';
import { faultsOf } from '../apply/faults.ts';
import { readSource } from '../apply/source.ts';
import type { Terminal } from '../command.ts';
import { nameOf, textOf } from '../given/file.ts';
import { parsedSpan } from '../screen/times.ts';

const after = z
  .string()
  .refine((given) => parsedSpan(given) !== undefined, 'must be a span such as 90s, 31m or 2h')
  .transform((given) => parsedSpan(given) ?? 0);

/** One of `say`, `press` and `start` is what the person does; the rest is what must come of it. */
const Turn = z
  .strictObject({
    say: z.string(),
    /** The payload of a button. */
    press: z.string(),
    start: z.literal(true),
    /** How long after the turn before it. */
    after,
    rule: z.string().nullable(),
    intent: z.string().nullable(),
    action: z.enum(['matched', 'asked_again', 'clarified', 'fell_back', 'escalated', 'silent']),
    state: z.string(),
    /** Texts that the reply contains; null: there is no reply. */
    reply: z.union([z.string().transform((each) => [each]), z.array(z.string())]).nullable(),
    /** Labels that its buttons have. */
    buttons: z.array(z.string()),
  })
  .partial()
  .refine(
    ({ say, press, start }) =>
      [say, press, start].filter((each) => each !== undefined).length === 1,
    'must have one of say, press and start',
  );

const Dialogues = z.strictObject({
  dialogues: z
    .array(
      z.strictObject({
        name: z.string().min(1),
        /** The person's. */
        person: z.string().optional(),
        turns: z.array(Turn).min(1),
      }),
    )
    .min(1),
});

export type DialogueTurn = z.output<typeof Turn>;
export type Dialogue = z.output<typeof Dialogues>['dialogues'][number];

/** The dialogues of a file; throws what is wrong with it. */
export async function readDialogues(file: string, terminal: Terminal): Promise<Dialogue[]> {
  const text = await textOf(file, terminal, 'presets/shop-bot.dialogues.yaml');
  const { documents, refusal } = readSource(nameOf(file), text);
  const hint = 'docs/bot.md says what a dialogue may have';
  const schema = z.toJSONSchema(Dialogues, { io: 'input' });
  const read = documents.map((source) => {
    const parsed = Dialogues.safeParse(source.value);
    if (!parsed.success) throw refusal(faultsOf(source, parsed.error, schema), hint);
    return parsed.data.dialogues;
  });
  return read.flat();
}
