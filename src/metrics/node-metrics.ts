// What Node tells about the process: CPU, memory, and how late the event loop is. The names are those that other
// programs in Node use.

import { monitorEventLoopDelay } from 'node:perf_hooks';

export interface NodeMetrics {
  /** By the name of the metric. */
  readonly gauges: Readonly<Record<string, () => number>>;
  stop(): void;
}

const nanos = 1e9;
const resolutionMs = 20;

type Delays = Pick<
  ReturnType<typeof monitorEventLoopDelay>,
  'mean' | 'percentile' | 'reset' | 'enable' | 'disable'
>;

/** The delays are those of a timer: nanoseconds from one of its runs to the next. */
export function readNode(
  delay: Delays = monitorEventLoopDelay({ resolution: resolutionMs }),
): NodeMetrics {
  delay.enable();
  // Once: the clock may be set meanwhile, and a start that moves looks like a restart.
  const startedAt = Math.round(Date.now() / 1000 - process.uptime());
  return {
    gauges: {
      nodejs_eventloop_lag_mean_seconds: () => lateBy(delay.mean),
      nodejs_eventloop_lag_p99_seconds() {
        const late = lateBy(delay.percentile(99));
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
      process_start_time_seconds: () => startedAt,
    },
    stop: () => delay.disable(),
  };
}

/** By how much the timer came too late, in seconds; 0 when it has not run since the last reset. */
function lateBy(periodNanos: number): number {
  return Number.isFinite(periodNanos) ? Math.max(0, periodNanos / nanos - resolutionMs / 1000) : 0;
}
