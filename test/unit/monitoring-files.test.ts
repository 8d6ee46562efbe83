import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { metrics } from '../../src/metrics/catalogue.ts';
import {
  metricsInFiles,
  monitoringFolder,
  readDashboard,
  readRules,
} from '../support/monitoring-files.ts';

const names = metrics.map((each) => each.name);

describe('the files of monitoring/', () => {
  it('name only metrics that there are', () => {
    expect(metricsInFiles().filter((name) => !names.includes(name))).toEqual([]);
    expect(metricsInFiles().length).toBeGreaterThan(30);
  });

  it('name every metric of the database and every histogram somewhere', () => {
    const named = metricsInFiles();
    const wanted = metrics.filter(
      ({ source, type }) => source === 'database' || type === 'histogram',
    );
    const unnamed = wanted.map(({ name }) => name).filter((name) => !named.includes(name));
    expect(unnamed).toEqual([]);
  });

  it('ask only for labels that the metrics have', () => {
    const labels = new Set([...metrics.flatMap((each) => each.labels), 'le', 'job', 'instance']);
    const { panels } = readDashboard();
    const asked = [
      ...readRules().map(({ expr }) => expr),
      ...panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)),
    ];
    for (const expr of asked) {
      const grouped = [...expr.matchAll(/by \(([^)]*)\)/g)].flatMap(([, list = '']) =>
        list.split(/,\s*/),
      );
      const matched = Array.from(
        expr.matchAll(/[{,]\s*(\w+)\s*(?:=~|!~|!=|=)\s*"/g),
        ([, name = '']) => name,
      );
      for (const label of [...grouped, ...matched])
        expect([expr, labels.has(label)]).toEqual([expr, true]);
    }
  });

  it('say of every alert what is wrong and what to do', () => {
    const rules = readRules();
    expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length);
    for (const { alert, annotations } of rules) {
      expect([alert, Object.keys(annotations).toSorted()]).toEqual([alert, ['action', 'summary']]);
    }
  });

  it('lay the panels of the dashboard out side by side', () => {
    const { panels } = readDashboard();
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, n) => `${x + (n % w)} ${y + Math.floor(n / w)}`),
    );
    expect(new Set(cells).size).toBe(cells.length);
    for (const { gridPos } of panels) expect(gridPos.x + gridPos.w).toBeLessThanOrEqual(24);
  });

  it('pass promtool, where it is installed', ({ skip }) => {
    for (const [kind, file] of [
      ['rules', 'prometheus-rules.yaml'],
      ['config', 'prometheus.yaml'],
    ] as const) {
      const judged = spawnSync('promtool', ['check', kind, file], {
        cwd: monitoringFolder,
        encoding: 'utf8',
      });
      if (judged.error !== undefined) skip('promtool is not installed');
      expect([
        file,
        judged.status,
        judged.status === 0 ? '' : judged.stdout + judged.stderr,
      ]).toEqual([file, 0, '']);
    }
  });
});

describe('docs/metrics.md', () => {
  it('has the table of all metrics as the catalogue has them', () => {
    const page = readFileSync(path.resolve(import.meta.dirname, '../../docs/metrics.md'), 'utf8');
    const rows = page.split('\n').filter((line) => /^\| `(?:outrider|nodejs|process)_/.test(line));
    expect(rows).toEqual(
      metrics.map(({ name, type, labels, help }) => {
        return `| \`${name}\` | ${type} | ${labels.join(', ')} | ${help} |`;
      }),
    );
  });
});
