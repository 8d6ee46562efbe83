// Rate groups that send nothing, or only a probe, in words.

import type { ShownWorkspace } from '../../db/workspace-rows.ts';
import { oneLine } from './shown-text.ts';
import { relative, span } from './times.ts';

export interface StoppedGroup {
  readonly platform: string;
  readonly rateGroup: string;
  readonly state: ShownWorkspace['groups'][number]['state'];
  readonly until: Date | null;
  readonly reason: string | null;
}

/** Such as "telegram/tg-main cools down 20 s more: 429: Too Many Requests". */
export function groupInWords(group: StoppedGroup, now: Date): string {
  const { platform, rateGroup, state, until, reason } = group;
  const words = {
    cooling_down:
      until === null ? 'cools down' : `cools down ${span(until.getTime() - now.getTime())} more`,
    resting: until === null ? 'rests' : `rests, is probed ${relative(until, now)}`,
    probing: 'is probed with one post at a time',
    credential_refused: 'does not send',
  };
  return `${platform}/${rateGroup} ${words[state]}${reason === null ? '' : `: ${oneLine(reason)}`}`;
}
