// The look of a platform's app.

import type { ChatKind } from './drawn-chat.ts';

export interface Look {
  /** As in outrider.platforms. */
  readonly name: string;
  /** For people; without it the name is shown. */
  readonly title?: string;
  readonly usualKind: ChatKind;
  /** Values of the custom properties of styles.ts, as CSS. */
  readonly colours: string;
}
