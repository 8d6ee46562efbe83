// All commands. Each is loaded when it is called, so that none waits for what the others need.

import type { Command } from './command.ts';

export interface ListedCommand {
  readonly name: string;
  /** One line for the list of commands. */
  readonly summary: string;
  readonly load: () => Promise<Command>;
}

export const commands: readonly ListedCommand[] = [
  {
    name: 'demo',
    summary: 'watch what Outrider does, on simulators',
    load: async () => (await import('./demo/demo.ts')).demo,
  },
  {
    name: 'up',
    summary: 'run everything in one process',
    load: async () => (await import('./up.ts')).up,
  },
  {
    name: 'run',
    summary:
      'run one role, or several: adapters, ingest, pull, dispatch, bot, upkeep, monitor, publish',
    load: async () => (await import('./run.ts')).run,
  },
  {
    name: 'apply',
    summary: 'bring the configuration to what a file says',
    load: async () => (await import('./apply.ts')).apply,
  },
  {
    name: 'send',
    summary: 'take one post in and queue it for its channels',
    load: async () => (await import('./send.ts')).send,
  },
  {
    name: 'preview',
    summary: 'what would become of a post, and what it would look like in each channel',
    load: async () => (await import('./preview.ts')).preview,
  },
  {
    name: 'status',
    summary: 'how a workspace is doing, on one screen',
    load: async () => (await import('./status.ts')).status,
  },
  {
    name: 'top',
    summary: 'watch a workspace live: queue, channels, sends, errors, alerts',
    load: async () => (await import('./top.ts')).top,
  },
  {
    name: 'deliveries',
    summary:
      'list deliveries, show one with its timeline, follow a post, send failed ones again or resolve them',
    load: async () => (await import('./deliveries.ts')).deliveries,
  },
  {
    name: 'explain',
    summary: 'where a post is and why: by its id, its source_ref or its words',
    load: async () => (await import('./explain.ts')).explain,
  },
  {
    name: 'channels',
    summary: 'list channels and why they wait; pause, resume, enable, disable, examine them',
    load: async () => (await import('./channels.ts')).channels,
  },
  {
    name: 'rate-groups',
    summary: 'list rate groups and why they wait; disable and enable their channels',
    load: async () => (await import('./rate-groups.ts')).rateGroups,
  },
  {
    name: 'sources',
    summary: 'list pull sources and how they are doing; pull one now, or test what it would bring',
    load: async () => (await import('./sources.ts')).sources,
  },
  {
    name: 'bot',
    summary:
      'bring what people write to a bot here; talk to it, test and compare its rules, let it answer again',
    load: async () => (await import('./bot.ts')).bot,
  },
  {
    name: 'events',
    summary: 'the record: what happened, what went wrong, by whose order',
    load: async () => (await import('./events.ts')).events,
  },
  {
    name: 'alerts',
    summary: 'what is wrong: list, show, acknowledge, silence; test the targets',
    load: async () => (await import('./alerts.ts')).alerts,
  },
  {
    name: 'auth',
    summary: 'check credentials: whose they are, what to do about those refused; replace them',
    load: async () => (await import('./auth.ts')).auth,
  },
  {
    name: 'doctor',
    summary: 'look for what is wrong with the installation, and say what to do about it',
    load: async () => (await import('./doctor.ts')).doctor,
  },
  {
    name: 'payload',
    summary: 'read a raw request or answer, on record, or make a link to it',
    load: async () => (await import('./payload.ts')).payload,
  },
  {
    name: 'erase',
    summary: "take a person's contact out of everything that is kept",
    load: async () => (await import('./erase.ts')).erase,
  },
  {
    name: 'capacity',
    summary: 'how many channels and posts can be carried, and which part is the limit',
    load: async () => (await import('./capacity.ts')).capacity,
  },
  {
    name: 'simulate',
    summary: 'when posts would all be out, and which limit holds them up, in virtual time',
    load: async () => (await import('./simulate.ts')).simulate,
  },
  {
    name: 'replay',
    summary: 'recorded posts once more through changed rules: what would be different',
    load: async () => (await import('./replay.ts')).replay,
  },
  {
    name: 'publish',
    summary: 'carry events from the outbox to a broker',
    load: async () => (await import('./publish.ts')).publish,
  },
  {
    name: 'outbox',
    summary: 'events of the outbox: list, status, replay, skip',
    load: async () => (await import('./outbox.ts')).outbox,
  },
  {
    name: 'retention',
    summary: 'delete what has been kept long enough, or count it',
    load: async () => (await import('./retention.ts')).retention,
  },
  {
    name: 'lost-pets',
    summary: 'show what the reader of lost-pets posts sees in a text',
    load: async () => (await import('./lost-pets.ts')).lostPets,
  },
  {
    name: 'migrate',
    summary: 'bring the database up to date',
    load: async () => (await import('./migrate.ts')).migrate,
  },
  {
    name: 'sandbox',
    summary: 'run simulators of the platforms',
    load: async () => (await import('./sandbox.ts')).sandbox,
  },
  {
    name: 'version',
    summary: 'which version this is',
    load: async () => (await import('./version.ts')).version,
  },
];
