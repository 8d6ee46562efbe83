// Everything that the screen is drawn from.

import type { Paragraph } from './panels.ts';
import type { Section } from './sections.ts';
import type { State } from './state.ts';
import type { View } from './view.ts';

export interface Size {
  readonly columns: number;
  readonly rows: number;
}

/** Why what is shown may be old. */
export interface Trouble {
  readonly words: string;
}

export interface Picture {
  readonly view: View | undefined;
  readonly before: View | undefined;
  readonly sections: readonly Section[];
  readonly state: State;
  readonly explanation: readonly Paragraph[];
  readonly filterFault: string | undefined;
  readonly trouble: Trouble | undefined;
  readonly everyMs: number;
  /** The widest that each column has been, so that columns do not jump. */
  readonly widths: Map<string, number[]>;
}
