// Whether there is room on the disks of this machine.

import { critical, type Finding, warning } from '../finding.ts';
import type { DoctorCheck } from '../installation.ts';
import { inMegabytes } from '../words.ts';

const leastBytes = 500 * 1024 ** 2;
const leastShare = 0.05;
/** Below this PostgreSQL may stop at the next burst of writes. */
const dangerBytes = 100 * 1024 ** 2;

export const diskSpace: DoctorCheck = {
  name: 'disk_space',
  area: 'machine',
  asks: 'do the disks of the data folder and of the media folder have 500 MB and 5 % left',
  needs: 'machine',
  async look({ config, freeSpace }) {
    const { databaseUrl, postgresDir, mediaDir } = config;
    const folders = databaseUrl === undefined ? [postgresDir, mediaDir] : [mediaDir];
    const found: Finding[] = [];
    const told = new Set<string>();
    for (const folder of folders) {
      const space = await freeSpace(folder).catch(() => undefined);
      if (space === undefined) continue;
      const { freeBytes, totalBytes } = space;
      if (freeBytes >= leastBytes && freeBytes >= totalBytes * leastShare) continue;
      // Both folders are on one disk as a rule.
      const disk = `${freeBytes} of ${totalBytes}`;
      if (told.has(disk)) continue;
      told.add(disk);
      const says = `the disk of ${folder} has ${inMegabytes(freeBytes)} of ${inMegabytes(totalBytes)} left`;
      const fix =
        'make room or a larger disk; outrider retention --dry-run says what could be deleted';
      found.push((freeBytes < dangerBytes ? critical : warning)(`folder ${folder}`, says, fix));
    }
    return found;
  },
};
