// On whose behalf an adapter calls its platform.

import type { OnAnswer } from '../http/transport.ts';
import type { BeforeCall } from './adapter.ts';

/** Who calls, when to stop, whether the delivery is still ours, and at which pace to call. */
export interface Caller {
  readonly token: string;
  readonly signal: AbortSignal;
  readonly holds?: (() => boolean) | undefined;
  readonly beforeCall?: BeforeCall | undefined;
  readonly onAnswer?: OnAnswer | undefined;
  /** For one call, in place of the adapter's own. */
  readonly timeoutMs?: number | undefined;
}
