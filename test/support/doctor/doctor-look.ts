// Runs the doctor as its command does, in the test's process. It does not wait for slots.

import { openForLook, openMeans } from '../../../src/cli/doctor/means.ts';
import { loadConfig } from '../../../src/config.ts';
import { listWorkspaces } from '../../../src/db/inspect.ts';
import { checks } from '../../../src/doctor/checks.ts';
import { examine, type Report, type ToldFinding } from '../../../src/doctor/examine.ts';
import { gather, type Means } from '../../../src/doctor/gather.ts';
import type { DoctorCheck, Machine } from '../../../src/doctor/installation.ts';

export interface DoctorLook {
  readonly env: Readonly<Record<string, string>>;
  /** All checks when missing. */
  readonly checks?: readonly DoctorCheck[];
  readonly workspaces?: readonly string[];
  readonly machine?: Partial<Machine>;
  /** The time at which the database is looked at; its own when missing. */
  readonly at?: string;
}

export async function lookedAt(look: DoctorLook): Promise<Report> {
  const options = {
    config: loadConfig(look.env),
    terminal: { err: () => undefined },
    begin: () => undefined,
    signal: new AbortController().signal,
  };
  await using opened = await openMeans(options, await openForLook(options));
  const { machine } = opened.means;
  const means: Means = {
    ...opened.means,
    machine: { ...machine, ...look.machine },
    wait: async () => undefined,
    at: look.at,
  };
  const { client } = means;
  const known = client === undefined ? [] : await listWorkspaces(client);
  const ids = look.workspaces ?? known.map((each) => each.workspaceId);
  return await examine(look.checks ?? checks, await gather(means, ids));
}

/** What a finding says, with the name of its check in front: "database_durability critical: fsync is off: …". */
export function inWords({ findings }: Report): string[] {
  return findings.map(
    ({ check, severity, subject, says }: ToldFinding) =>
      `${check} ${severity}: ${subject === null ? '' : `${subject}: `}${says}`,
  );
}

/** The findings of one check, in words. */
export function foundBy(report: Report, check: string): string[] {
  return inWords(report).filter((each) => each.startsWith(`${check} `));
}
