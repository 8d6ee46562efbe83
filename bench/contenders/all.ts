import type { Contender } from '../contender.ts';
import { bullMqDurable, bullMqSweep, bullMqVolatile } from './bullmq.ts';
import { graphileWorker, graphileWorkerSweep } from './graphile-worker.ts';
import { outrider, outriderSweep } from './outrider.ts';
import { pgBossFetch, pgBossSweep, pgBossWork } from './pg-boss.ts';

/** All contenders at their best settings, or with one batch size for all that batch. */
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

/** All contenders in every combination of settings that the best were chosen from. */
export const allVariants: readonly Contender[] = [
  ...outriderSweep,
  ...graphileWorkerSweep,
  ...pgBossSweep,
  ...bullMqSweep,
];
