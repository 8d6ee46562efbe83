// Makes the checks: gathers what they look at, and collects what they find.

import { OutriderError } from '../errors.ts';
import { maskText } from '../masking.ts';
import { type Finding, type Severity, warning } from './finding.ts';
import type { DoctorCheck, Needs } from './installation.ts';
import { sideBySide } from './side-by-side.ts';
import { within } from './within.ts';

/** What was gathered; a thing that could not be gathered is missing, and the checks that need it are not made. */
export type Gathered = {
  readonly [Need in Exclude<keyof Needs, 'workspace'>]?: Needs[Need];
};

/** A finding as it is told: with the check that found it, and the workspace, where it is of one. */
export interface ToldFinding extends Finding {
  readonly check: string;
  readonly area: DoctorCheck['area'];
  readonly workspaceId: string | null;
}

export interface MadeCheck {
  readonly name: string;
  readonly area: DoctorCheck['area'];
  readonly asks: string;
  readonly status: 'nothing_found' | 'found' | 'not_made';
}

export interface Report {
  readonly checks: readonly MadeCheck[];
  /** Those of one area together, the worst first. */
  readonly findings: readonly ToldFinding[];
}

/** Ends a check that hangs, although each of its questions has a timeout of its own. */
const checkMostMs = 120_000;
const atOnce = 4;

export async function examine(checks: readonly DoctorCheck[], gathered: Gathered): Promise<Report> {
  const made = await sideBySide(checks, atOnce, async (check) => {
    const found = await answerOf(check, gathered);
    const { name, area, asks } = check;
    const status =
      found === undefined ? 'not_made' : found.length === 0 ? 'nothing_found' : 'found';
    const findings = (found ?? []).map((each) => ({ ...each, check: name, area }));
    return { check: { name, area, asks, status } as const, findings };
  });
  return {
    checks: made.map(({ check }) => check),
    findings: inOrder(
      made.flatMap(({ findings }) => findings),
      checks,
    ),
  };
}

type Found = (Finding & { readonly workspaceId: string | null })[];
type Answer = ReturnType<DoctorCheck['look']>;

/** One look of a check: at the whole installation, or at one workspace. */
interface Look {
  readonly workspaceId: string | null;
  readonly look: () => Answer;
}

/** Undefined when what the check needs is missing. */
async function answerOf(check: DoctorCheck, gathered: Gathered): Promise<Found | undefined> {
  const looks = looksOf(check, gathered);
  if (looks === undefined) return undefined;
  const found: Found = [];
  for (const { workspaceId, look } of looks) {
    const own = await looked(check.name, look);
    found.push(...own.map((each) => ({ ...each, workspaceId })));
  }
  return found;
}

function looksOf(check: DoctorCheck, gathered: Gathered): Look[] | undefined {
  const { machine, opening, server, schema, platforms } = gathered;
  if (check.needs === 'machine') return oneLook(machine, (given) => check.look(given));
  if (check.needs === 'opening') return oneLook(opening, (given) => check.look(given));
  if (check.needs === 'server') return oneLook(server, (given) => check.look(given));
  if (check.needs === 'schema') return oneLook(schema, (given) => check.look(given));
  if (check.needs === 'platforms') return oneLook(platforms, (given) => check.look(given));
  return platforms?.workspaces.map((workspace) => ({
    workspaceId: workspace.workspaceId,
    look: () => check.look(workspace),
  }));
}

function oneLook<Given>(
  given: Given | undefined,
  look: (given: Given) => Answer,
): Look[] | undefined {
  return given === undefined ? undefined : [{ workspaceId: null, look: () => look(given) }];
}

/** A check that breaks or does not end is a finding, too: what it looks at may be ill. */
async function looked(name: string, look: () => Answer): Promise<readonly Finding[]> {
  try {
    return await within(checkMostMs, Promise.resolve(look()));
  } catch (error) {
    const words = error instanceof Error ? error.message : String(error);
    const says = `the check ${name} could not be made: ${maskText(words)}`;
    const fix = error instanceof OutriderError ? error.hint : undefined;
    return [warning(null, says, fix ?? 'look again; if it lasts, it is a fault of Outrider')];
  }
}

const ranks: Readonly<Record<Severity, number>> = { critical: 0, warning: 1, info: 2 };

function inOrder(findings: readonly ToldFinding[], checks: readonly DoctorCheck[]): ToldFinding[] {
  const areas = [...new Set(checks.map(({ area }) => area))];
  return findings.toSorted(
    (a, b) =>
      areas.indexOf(a.area) - areas.indexOf(b.area) ||
      (a.workspaceId ?? '').localeCompare(b.workspaceId ?? '') ||
      ranks[a.severity] - ranks[b.severity],
  );
}
