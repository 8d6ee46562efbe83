// What Node tells about the process: CPU, memory, and how late the event loop is. The names are those that other
// programs in Node use.

import { monitorEventLoopDelay } from 'node:perf_hooks';

export interface NodeMetrics {
  /** By the name of the metric. */
  readonly gauges: Readonly<Record<string, () => number>>;
  stop(): void;
}

const nanos = 1e9;

export function readNode(): NodeMetrics {
  // It only sets a timer, every 20 ms, and measures by how much it comes too late.
  const delay = monitorEventLoopDelay({ resolution: 20 });
  delay.enable();
  return {
    gauges: {
      nodejs_eventloop_lag_mean_seconds: () => seconds(delay.mean),
      nodejs_eventloop_lag_p99_seconds() {
        const late = seconds(delay.percentile(99));
        delay.reset(); // it is read last
        return late;
      },
      nodejs_heap_size_used_bytes: () => process.memoryUsage().heapUsed,
      nodejs_heap_size_total_bytes: () => process.memoryUsage().heapTotal,
      process_resident_memory_bytes: () => process.memoryUsage.rss(),
      process_cpu_seconds_total() {
        const { user, system } = process.cpuUsage();
        return (user + system) / 1e6;
      },
      process_start_time_seconds: () => Math.round(Date.now() / 1000 - process.uptime()),
    },
    stop: () => delay.disable(),
  };
}

/** Of values since the last reset; 0 when there are none. */
function seconds(delayNanos: number): number {
  return Number.isFinite(delayNanos) ? delayNanos / nanos : 0;
}
