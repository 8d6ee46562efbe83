// Whether the pull sources can be read.

import { maskText } from '../../masking.ts';
import { critical, type Finding, warning } from '../finding.ts';
import type { DoctorCheck } from '../installation.ts';

export const pullSources: DoctorCheck = {
  name: 'pull_sources',
  area: 'sources',
  asks: 'can every enabled source be read with its configuration, from here',
  needs: 'workspace',
  look({ sources, unreadSources }) {
    return sources
      .filter((each) => each.enabled)
      .flatMap(({ sourceId, state, lastError, heldItem }): Finding[] => {
        const where = `source ${sourceId}`;
        const unread = unreadSources.get(sourceId);
        if (unread !== undefined) {
          const fix =
            unread.hint ??
            `outrider sources test ${sourceId} shows what it would bring; docs/sources.md says what each kind needs`;
          return [critical(where, maskText(`it cannot be read: ${unread.reason}`), fix)];
        }
        if (state === 'failing') {
          const says = `it can be read from here, and its last pull failed: ${lastError ?? 'nobody knows why'}`;
          return [warning(where, maskText(says), `outrider sources pull ${sourceId}`)];
        }
        if (heldItem === null) return [];
        const says = `it waits for a medium of item ${heldItem} that cannot be fetched`;
        return [
          warning(
            where,
            maskText(says),
            'it goes on without the medium after a while; docs/sources.md says when',
          ),
        ];
      });
  },
};
