import type { Contender } from '../contender.ts';
import { bullMqDurable, bullMqSweep, bullMqVolatile } from './bullmq.ts';
import { graphileWorker, graphileWorkerSweep } from './graphile-worker.ts';
import { outrider, outriderSweep } from './outrider.ts';
import { pgBossFetch, pgBossSweep, pgBossWork } from './pg-boss.ts';

/** Everyone at their best settings, or at one batch size for all that batch. */
export function allContenders(batch: number | undefined): Contender[] {
  return [
    outrider(batch),
    graphileWorker(batch),
    pgBossWork(batch),
    pgBossFetch(batch),
    bullMqVolatile(),
    bullMqDurable(),
  ];
}

/** Everyone at every combination of settings from which the best were chosen. */
export const allVariants: readonly Contender[] = [
  ...outriderSweep,
  ...graphileWorkerSweep,
  ...pgBossSweep,
  ...bullMqSweep,
];
