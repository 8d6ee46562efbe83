// The files of monitoring/, and which metrics they name.

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';

export const monitoringFolder = path.resolve(import.meta.dirname, '../../monitoring');

const Rules = z.object({
  groups: z.array(
    z.object({
      rules: z.array(
        z.object({
          alert: z.string(),
          expr: z.string(),
          annotations: z.record(z.string(), z.string()),
        }),
      ),
    }),
  ),
});

const Dashboard = z.object({
  templating: z.object({
    list: z.array(z.object({ query: z.union([z.string(), z.object({ query: z.string() })]) })),
  }),
  panels: z.array(
    z.object({
      id: z.number(),
      title: z.string(),
      type: z.string(),
      gridPos: z.object({ x: z.number(), y: z.number(), w: z.number(), h: z.number() }),
      targets: z.array(z.object({ expr: z.string(), refId: z.string() })).default([]),
    }),
  ),
});

export function readRules(): z.output<typeof Rules>['groups'][number]['rules'] {
  return Rules.parse(parse(read('prometheus-rules.yaml'))).groups.flatMap((group) => group.rules);
}

export function readDashboard(): z.output<typeof Dashboard> {
  return Dashboard.parse(JSON.parse(read('grafana-dashboard.json')));
}

/** The names of all metrics that rules and panels ask for. */
export function metricsInFiles(): string[] {
  const { panels, templating } = readDashboard();
  const asked = [
    ...readRules().map(({ expr }) => expr),
    ...panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)),
    ...templating.list.map(({ query }) => (typeof query === 'string' ? query : query.query)),
  ];
  const names = asked.flatMap((expr) => expr.match(/\b(?:outrider|nodejs|process)_\w+/g) ?? []);
  return [...new Set(names.map((name) => name.replace(/_(?:bucket|sum|count)$/, '')))].toSorted();
}

function read(file: string): string {
  return readFileSync(path.join(monitoringFolder, file), 'utf8');
}
