// The clock of this machine against those of the others.

import { critical, type Finding, warning } from '../finding.ts';
import type { DoctorCheck } from '../installation.ts';
import { span } from '../words.ts';

const fix = 'keep the clock of this machine by NTP (timedatectl set-ntp true, or chrony)';
const farOffMs = 60_000;

/** The finding about a clock that is ahead of ours by something between these two; none when that may be little. */
function skewFinding(
  whose: string,
  { atLeast, atMost }: { readonly atLeast: number; readonly atMost: number },
  toleratedMs: number,
): Finding[] {
  const skew = atLeast > 0 ? atLeast : Math.min(atMost, 0);
  if (Math.abs(skew) <= toleratedMs) return [];
  const says = `the clock of this machine is ${span(skew)} ${skew > 0 ? 'behind' : 'ahead of'} that of ${whose}`;
  return [(Math.abs(skew) < farOffMs ? warning : critical)(`clock against ${whose}`, says, fix)];
}

export const clockOfDatabase: DoctorCheck = {
  name: 'clock_database',
  area: 'machine',
  asks: 'do this machine and PostgreSQL have the same time, within 2 s',
  needs: 'server',
  look({ facts: { now }, askedAt, answeredAt }) {
    const time = now.getTime();
    return skewFinding('PostgreSQL', { atLeast: time - answeredAt, atMost: time - askedAt }, 2000);
  },
};

export const clockOfPlatforms: DoctorCheck = {
  name: 'clock_platforms',
  area: 'machine',
  asks: 'does each platform have the same time in its answers, within 5 s',
  needs: 'platforms',
  look({ times }) {
    return times.flatMap(({ platform, aheadAtLeastMs: atLeast, aheadAtMostMs: atMost }) =>
      skewFinding(platform, { atLeast, atMost }, 5000),
    );
  },
};
