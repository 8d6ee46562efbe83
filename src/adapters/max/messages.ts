// Messages as MAX gives them back. We do not read `seq`: it is an integer that a JavaScript number cannot hold.

import { z } from 'zod';

/** The id of a message. The record of the delivery keeps it, and takes no more bytes than this. */
const mid = z.string().regex(/^[\x21-\x7e]{1,512}$/);

const attachmentShape = z.object({
  type: z.string(),
  payload: z
    .object({
      token: z.string().nullish().catch(undefined),
      buttons: z
        .array(
          z.array(
            z.object({
              text: z.string(),
              url: z.string().nullish(),
              payload: z.string().nullish(),
            }),
          ),
        )
        .nullish()
        .catch(undefined),
    })
    .nullish()
    .catch(undefined),
  /** Of a file. */
  size: z.number().nullish().catch(undefined),
});

export const messageShape = z.object({
  /** Posts of a channel have none. */
  sender: z.object({ user_id: z.number() }).nullish(),
  recipient: z.object({ chat_id: z.number().int().nullish() }).nullish(),
  timestamp: z.number(),
  /** A reply or a forward. */
  link: z.unknown().optional(),
  /** A forward may have none. */
  body: z
    .object({
      mid,
      text: z.string().nullish(),
      attachments: z.array(attachmentShape).nullish(),
    })
    .nullish(),
});

export type Message = z.output<typeof messageShape>;
export type MessageAttachment = z.output<typeof attachmentShape>;

export const messagesShape = z.object({ messages: z.array(messageShape) });

export const sentShape = z.object({
  message: z.object({ body: z.object({ mid }) }),
});

export const meShape = z.object({
  user_id: z.number(),
  first_name: z.string().nullish().catch(undefined),
});

export const successShape = z.object({ success: z.literal(true) });
