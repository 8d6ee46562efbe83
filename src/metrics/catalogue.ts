// All metrics: names, types, meanings and labels. docs/metrics.md has the same table.

import type { MetricType } from './text-format.ts';

export interface Metric {
  readonly name: string;
  readonly type: MetricType;
  readonly help: string;
  readonly labels: readonly string[];
  /** Where its values come from: the database has one truth for all processes, each process has its own. */
  readonly source: 'database' | 'process';
}

function database(
  type: 'counter' | 'gauge',
  name: string,
  labels: readonly string[],
  help: string,
): Metric {
  return { name, type, help, labels, source: 'database' };
}

function ofProcess(
  type: MetricType,
  name: string,
  labels: readonly string[],
  help: string,
): Metric {
  return { name, type, help, labels, source: 'process' };
}

export const metrics: readonly Metric[] = [
  database(
    'counter',
    'outrider_posts_total',
    ['workspace', 'kind', 'verdict'],
    'Posts that came in (kind: push, pull), by verdict: accepted, rejected, repeated, rate_limited.',
  ),
  database(
    'counter',
    'outrider_deliveries_queued_total',
    ['workspace'],
    'Deliveries that were queued.',
  ),
  database(
    'counter',
    'outrider_send_attempts_total',
    ['workspace'],
    'Attempts to send a delivery that were begun.',
  ),
  database(
    'counter',
    'outrider_deliveries_total',
    ['workspace', 'platform', 'outcome'],
    'What became of deliveries: sent, retry, failed_permanent, dead, deduped, validation_failed.',
  ),
  database(
    'counter',
    'outrider_channel_deliveries_total',
    ['workspace', 'platform', 'channel', 'outcome'],
    'The same by channel, for the first 500 channels.',
  ),
  database(
    'counter',
    'outrider_events_total',
    ['workspace', 'action'],
    'Other entries of the record, such as channel_paused, group_cooled_down, sending_lease_expired.',
  ),
  database(
    'counter',
    'outrider_pull_items_total',
    ['workspace', 'source'],
    'Items that were ever taken from a pull source, for the first 500 sources.',
  ),
  database(
    'counter',
    'outrider_bot_turns_total',
    ['workspace', 'platform', 'action'],
    'What a bot did with messages: matched, asked_again, clarified, fell_back, escalated, silent.',
  ),
  database(
    'counter',
    'outrider_bot_reply_failures_total',
    ['workspace', 'platform', 'action'],
    'Answers of bots that were not sent: retry, failed, dead, lease_expired.',
  ),
  database(
    'counter',
    'outrider_alerts_opened_total',
    ['workspace', 'severity'],
    'Alerts that opened.',
  ),
  database(
    'counter',
    'outrider_outbox_events_total',
    ['outcome'],
    'Events of the outbox that were published, or skipped by an operator.',
  ),
  database(
    'gauge',
    'outrider_queue_deliveries',
    ['workspace', 'platform', 'state'],
    'Deliveries that are due, scheduled, in retry, claimed or sending now.',
  ),
  database(
    'gauge',
    'outrider_oldest_due_seconds',
    ['workspace'],
    'For how long the oldest delivery that is due has been so; 0 when nothing is due.',
  ),
  database(
    'gauge',
    'outrider_channels',
    ['workspace', 'platform', 'state'],
    'Channels by state: open, closed (outside its posting window), paused, cooling_down, resting, probing, disabled, credential_refused.',
  ),
  database(
    'gauge',
    'outrider_channel_stopped',
    ['workspace', 'platform', 'channel'],
    '1 while something keeps a channel from sending that is neither its posting window nor somebody’s order, for the first 500 channels.',
  ),
  database(
    'gauge',
    'outrider_channel_waiting_deliveries',
    ['workspace', 'platform', 'channel'],
    'Deliveries of a channel that wait, for the first 500 channels.',
  ),
  database(
    'gauge',
    'outrider_pull_failures',
    ['workspace', 'source'],
    'Pulls of a source that failed in a row, for the first 500 sources.',
  ),
  database(
    'gauge',
    'outrider_pull_age_seconds',
    ['workspace', 'source'],
    'How long ago a pull source was last read to its end, for the first 500 sources.',
  ),
  database(
    'gauge',
    'outrider_bot_replies_waiting',
    ['workspace', 'platform'],
    'Answers of bots that wait or are being sent.',
  ),
  database('gauge', 'outrider_alerts_open', ['workspace', 'severity'], 'Alerts that are open.'),
  database(
    'gauge',
    'outrider_services',
    ['state'],
    'Processes: ready, not_ready, or silent (no sign of life for 30 seconds, and not started again on its host).',
  ),
  database(
    'gauge',
    'outrider_dispatch_lag_seconds',
    [],
    'For how long a delivery of any workspace has been due while nothing was missing but a sender.',
  ),
  database(
    'gauge',
    'outrider_leases_expired_deliveries',
    [],
    'Deliveries whose sender seems to be gone, and that nobody has recovered yet.',
  ),
  database(
    'gauge',
    'outrider_outbox_unpublished_events',
    [],
    'Events of the outbox that wait to be published, counted up to 100,000.',
  ),
  database(
    'gauge',
    'outrider_outbox_failing_events',
    [],
    'Of these, events whose last attempt failed, counted up to 100,000.',
  ),
  database(
    'gauge',
    'outrider_outbox_oldest_unpublished_seconds',
    [],
    'For how long the oldest of them has waited; 0 when none waits.',
  ),
  database(
    'gauge',
    'outrider_oldest_transaction_seconds',
    [],
    'For how long the oldest transaction of the database has been open.',
  ),
  database(
    'gauge',
    'outrider_counters_behind_seconds',
    [],
    'How far the counters that come from the database are behind.',
  ),
  ofProcess(
    'gauge',
    'outrider_database_up',
    [],
    '1 when the database answered this scrape. When it did not, all values that come from it are missing.',
  ),
  ofProcess('gauge', 'outrider_build_info', ['version'], 'Always 1.'),
  ofProcess(
    'histogram',
    'outrider_intake_duration_seconds',
    ['verdict'],
    'From a post’s request to its answer: kept or refused.',
  ),
  ofProcess(
    'histogram',
    'outrider_claim_duration_seconds',
    [],
    'How long the database took to answer a claim.',
  ),
  ofProcess(
    'counter',
    'outrider_claimed_deliveries_total',
    [],
    'Deliveries that this process has claimed.',
  ),
  ofProcess(
    'histogram',
    'outrider_send_duration_seconds',
    ['platform', 'result'],
    'How long a send took, all its calls together: sent, refused, not_sent, unknown.',
  ),
  ofProcess('gauge', 'outrider_sends_in_progress', [], 'Sends under way.'),
  ofProcess(
    'histogram',
    'outrider_commit_duration_seconds',
    [],
    'How long the database took to record a batch of outcomes.',
  ),
  ofProcess(
    'histogram',
    'outrider_delivery_duration_seconds',
    ['platform'],
    'From when a delivery might first be sent (for most: from its push) until it was recorded as sent.',
  ),
  ofProcess(
    'histogram',
    'outrider_bot_reply_duration_seconds',
    ['platform', 'result'],
    'How long the send of a bot’s answer took: sent, refused, not_sent, unknown.',
  ),
  ofProcess(
    'histogram',
    'outrider_outbox_publish_duration_seconds',
    [],
    'How long a broker took for a batch of events.',
  ),
  ofProcess(
    'counter',
    'outrider_outbox_publish_failures_total',
    [],
    'Events that a broker did not take at an attempt.',
  ),
  ofProcess(
    'histogram',
    'outrider_http_request_duration_seconds',
    ['method', 'route', 'status'],
    'Requests to the HTTP server, by route; without probes.',
  ),
  ofProcess(
    'gauge',
    'outrider_pool_connections',
    ['purpose', 'state'],
    'Connections to the database: idle or busy.',
  ),
  ofProcess(
    'gauge',
    'outrider_pool_waiting',
    ['purpose'],
    'Calls that wait for a connection to the database.',
  ),
  ofProcess(
    'counter',
    'outrider_trace_spans_total',
    ['outcome'],
    'Spans that were exported, or dropped because the collector could not take them.',
  ),
  ofProcess(
    'gauge',
    'nodejs_eventloop_lag_mean_seconds',
    [],
    'Delay of the event loop since the scrape before, on average.',
  ),
  ofProcess(
    'gauge',
    'nodejs_eventloop_lag_p99_seconds',
    [],
    'Delay of the event loop since the scrape before, 99th percentile.',
  ),
  ofProcess('gauge', 'nodejs_heap_size_used_bytes', [], 'Memory of the heap that is in use.'),
  ofProcess('gauge', 'nodejs_heap_size_total_bytes', [], 'Memory of the heap.'),
  ofProcess('gauge', 'process_resident_memory_bytes', [], 'Memory of the process.'),
  ofProcess('counter', 'process_cpu_seconds_total', [], 'CPU time of the process.'),
  ofProcess(
    'gauge',
    'process_start_time_seconds',
    [],
    'When the process was started, in Unix time.',
  ),
];

export function metricNamed(name: string): Metric {
  const metric = metrics.find((each) => each.name === name);
  if (metric === undefined) throw new Error(`there is no metric ${name}`);
  return metric;
}
