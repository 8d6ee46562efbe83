// What the areas of db/functions are for, in the order of docs/sql.md.

export interface Area {
  /** The folder in db/functions. */
  readonly folder: string;
  readonly title: string;
  readonly purpose: string;
}

export const areas: readonly Area[] = [
  {
    folder: 'apply',
    title: 'Configuration',
    purpose: 'Bring a workspace to the state that a configuration file describes.',
  },
  {
    folder: 'intake',
    title: 'Intake',
    purpose:
      'Take posts in: judge them, keep them, and queue a delivery for every channel that takes them.',
  },
  {
    folder: 'pull',
    title: 'Pull sources',
    purpose:
      'Hand sources that are due to those who read them. What they bring is taken in by ingest_pull_chunk.',
  },
  { folder: 'media', title: 'Media', purpose: 'Record where the files of posts are kept.' },
  {
    folder: 'dispatch',
    title: 'Dispatch',
    purpose: 'Find the workspaces that have something to send, and learn when there will be more.',
  },
  {
    folder: 'claim',
    title: 'Claims',
    purpose: 'Take deliveries to send them, and hold on to them while they are being sent.',
  },
  { folder: 'commit', title: 'Outcomes', purpose: 'Record what became of sends.' },
  {
    folder: 'recovery',
    title: 'Recovery',
    purpose: 'Give back what senders that are gone have left behind.',
  },
  {
    folder: 'bot',
    title: 'Bot',
    purpose: 'Take in what people write to a bot, decide its answers by rules, and send them.',
  },
  {
    folder: 'inspect',
    title: 'Inspection',
    purpose: 'Ask what happened, what waits, and why. These functions change nothing.',
  },
  {
    folder: 'explain',
    title: 'Explanation',
    purpose:
      'Ask why a post waits, failed or is not there, in sentences. [explain](explain.md) lists the reasons.',
  },
  {
    folder: 'simulate',
    title: 'Simulating',
    purpose:
      'What a simulation or a replay begins with: the configuration, recorded posts, how long sends took.',
  },
  {
    folder: 'operate',
    title: 'Operation',
    purpose: 'Act as an operator: pause, resume, requeue, resolve, rotate. Every act is on record.',
  },
  {
    folder: 'status',
    title: 'Status',
    purpose:
      'Know how a workspace is doing: what is wrong, what comes next, how it was over time, who is at work.',
  },
  {
    folder: 'monitor',
    title: 'Alerts',
    purpose: 'Notice what is wrong, tell people, and know which processes are alive.',
  },
  {
    folder: 'metrics',
    title: 'Metrics',
    purpose: 'Count what has happened, and tell how things stand, for `/metrics`.',
  },
  {
    folder: 'payloads',
    title: 'Raw payloads',
    purpose: 'Record where raw requests and answers are kept, and who reads them.',
  },
  {
    folder: 'privacy',
    title: 'Privacy',
    purpose: 'Erase what is kept about one person.',
  },
  {
    folder: 'outbox',
    title: 'Outbox',
    purpose:
      'Write domain events in the transaction that makes them true, and publish them to a broker.',
  },
  {
    folder: 'consume',
    title: 'Consumers',
    purpose: 'Let a consumer process an event that reaches it more than once with one effect.',
  },
  { folder: 'events', title: 'Partitions of events', purpose: 'Keep the event log in partitions.' },
  {
    folder: 'retention',
    title: 'Retention',
    purpose:
      'Delete what has been kept long enough, and find what is left without what it belongs to.',
  },
  {
    folder: 'health',
    title: 'Health',
    purpose: 'Learn whether the database is there and up to date.',
  },
  {
    folder: 'doctor',
    title: 'Doctor',
    purpose: 'Ask what `outrider doctor` has to know. These functions change nothing.',
  },
];
