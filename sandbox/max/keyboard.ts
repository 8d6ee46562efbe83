// What MAX accepts as an inline keyboard.

import { z } from 'zod';
import { invalid } from './replies.ts';

const text = z.string();

/** Without "chat": the live server cannot deserialize it. */
const buttonShape = z.discriminatedUnion('type', [
  z.object({ type: z.literal('callback'), text, payload: z.string() }),
  z.object({ type: z.literal('link'), text, url: z.string() }),
  z.object({ type: z.literal('request_contact'), text }),
  z.object({ type: z.literal('request_geo_location'), text, quick: z.boolean().optional() }),
  z.object({
    type: z.literal('open_app'),
    text,
    web_app: z.string().nullish(),
    contact_id: z.number().nullish(),
    payload: z.string().nullish(),
  }),
  z.object({ type: z.literal('message'), text }),
  z.object({ type: z.literal('clipboard'), text, payload: z.string() }),
]);

export type Button = z.infer<typeof buttonShape>;

export const keyboardShape = z.object({
  type: z.literal('inline_keyboard'),
  payload: z.object({ buttons: z.array(z.array(buttonShape)) }),
});

/** Buttons of which a row holds three at most. */
const wide: readonly Button['type'][] = [
  'link',
  'open_app',
  'request_geo_location',
  'request_contact',
];

/** The numbers are documented. The words of the refusals are assumed, except those about webApp. */
export function checkKeyboard(rows: readonly (readonly Button[])[]): void {
  if (rows.length === 0 || rows.length > 30)
    throw invalid('buttons: size must be between 1 and 30');
  if (rows.flat().length > 210) throw invalid('buttons: no more than 210 buttons are allowed');
  for (const row of rows) {
    const most = row.some((button) => wide.includes(button.type)) ? 3 : 7;
    if (row.length === 0 || row.length > most) {
      throw invalid(`buttons: a row must have between 1 and ${most} buttons`);
    }
    for (const button of row) checkButton(button);
  }
}

function checkButton(button: Button): void {
  if (button.text.length < 1 || button.text.length > 128) {
    throw invalid('text: size must be between 1 and 128');
  }
  if (button.type === 'open_app' && (button.web_app ?? '') === '') {
    throw invalid("Field 'webApp' cannot be null");
  }
  if ('payload' in button && (button.payload ?? '').length > 1024) {
    throw invalid('payload: size must be between 0 and 1024');
  }
  if (button.type === 'link' && !(URL.canParse(button.url) && button.url.length <= 2048)) {
    throw invalid('url: must be a well-formed URL of up to 2048 characters');
  }
}
