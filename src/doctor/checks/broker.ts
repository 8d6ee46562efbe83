// Whether the broker of the outbox takes events.

import { OutriderError } from '../../errors.ts';
import { critical } from '../finding.ts';
import type { DoctorCheck } from '../installation.ts';
import { within } from '../within.ts';

export const broker: DoctorCheck = {
  name: 'broker',
  area: 'machine',
  asks: 'does the broker of the outbox answer, if one is configured',
  needs: 'machine',
  async look({ openBroker, patienceMs }) {
    const fix = 'see that it runs and can be reached from here, or correct OUTRIDER_OUTBOX_BROKER';
    try {
      const opened = await openBroker();
      try {
        const checked = await within(patienceMs, opened.check(AbortSignal.timeout(patienceMs)));
        if (checked.ok) return [];
        const where =
          opened.place === undefined ? opened.name : `${opened.name} at ${opened.place}`;
        return [
          critical(`broker ${where}`, `events cannot be published: ${checked.fault.message}`, fix),
        ];
      } finally {
        await opened.close();
      }
    } catch (error) {
      const hint = error instanceof OutriderError ? error.hint : undefined;
      const says = error instanceof OutriderError ? error.message : 'it did not answer in time';
      return [critical('broker', says, hint ?? fix)];
    }
  },
};
