import { describe, expect, it, vi } from 'vitest';
import { readNode } from '../../src/metrics/node-metrics.ts';

describe('what Node tells about the process', () => {
  const idle = { percentile: () => 45e6, reset() {}, enable: () => true, disable: () => true };

  it('has the delay of the event loop alone, without the interval at which it is measured', () => {
    const { gauges } = readNode({ ...idle, mean: 20.5e6 });
    expect(gauges['nodejs_eventloop_lag_mean_seconds']?.()).toBeCloseTo(0.0005);
    expect(gauges['nodejs_eventloop_lag_p99_seconds']?.()).toBeCloseTo(0.025);
  });

  it.each([Number.NaN, 19.9e6])('shows no delay where %d was measured', (mean) => {
    expect(readNode({ ...idle, mean }).gauges['nodejs_eventloop_lag_mean_seconds']?.()).toBe(0);
  });

  it('has the same start time after the clock was set', () => {
    const { gauges } = readNode({ ...idle, mean: 0 });
    const started = gauges['process_start_time_seconds']?.();
    vi.setSystemTime(Date.now() + 3_600_000);
    expect(gauges['process_start_time_seconds']?.()).toBe(started);
    vi.useRealTimers();
  });
});
