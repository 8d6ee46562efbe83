import { allVariants } from '../contenders/all.ts';
import { interleave } from '../interleave.ts';
import { measureDrain } from '../measure.ts';
import type { Scenario } from '../scenario.ts';
import { median } from '../statistics.ts';
import { costs } from './drain.ts';

/** How the settings of the contenders were found; run it again on a machine of another kind. */
export const sweep: Scenario = {
  name: 'sweep',
  question: 'With which settings is each contender at its best?',
  async run(bench) {
    const names = new Set(bench.contenders.map((each) => each.name));
    const variants = allVariants.filter((each) => names.has(each.name));
    const { repetitions, jobs } = bench.options;
    const measured = await interleave(variants, repetitions, async (each, repetition) => {
      bench.progress(`${repetition + 1}/${repetitions} ${each.name} ${shown(each.settings)}`);
      return measureDrain(each, await bench.stores.get(each.store), { jobs, statistics: true });
    });
    const rate = (variant: (typeof variants)[number]): number =>
      median((measured.get(variant) ?? []).map((each) => each.jobsPerSecond));
    const ranked = variants.toSorted((a, b) => a.name.localeCompare(b.name) || rate(b) - rate(a));
    const series = new Map(
      ranked.map((each) => [`${each.name} ${shown(each.settings)}`, measured.get(each) ?? []]),
    );
    return { tables: [costs(series)], verdicts: [], raw: Object.fromEntries(series) };
  },
};

function shown(settings: Readonly<Record<string, unknown>>): string {
  return Object.entries(settings)
    .map(([name, value]) => `${name}=${String(value)}`)
    .join(' ');
}
