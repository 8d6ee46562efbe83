// The lists on the screen: channels, sends, errors, alerts, rate groups.

import { activityCountsTo, type ShownActivity } from '../../db/activity-rows.ts';
import type { ListedDelivery } from '../../db/delivery-rows.ts';
import { maskText } from '../../masking.ts';
import { shortState, stateColours } from '../channels/list.ts';
import { timeOf, whyOf } from '../deliveries/list.ts';
import { statusColours } from '../deliveries/view.ts';
import { oneLine } from '../screen/shown-text.ts';
import type { Cell, Colour, Column } from '../screen/table.ts';
import { relative, span } from '../screen/times.ts';
import { type Filter, hasWords } from './filter.ts';
import { number, perMinute } from './numbers.ts';
import type { View } from './view.ts';

export type Channel = ShownActivity['channels'][number];
export type Alert = ShownActivity['alerts'][number];
export type Group = ShownActivity['groups'][number];

/** What a row is about: what Enter explains. */
export type About =
  | { readonly kind: 'delivery'; readonly deliveryId: string; readonly channelId: string }
  | { readonly kind: 'channel'; readonly channel: Channel }
  | { readonly kind: 'alert'; readonly alert: Alert }
  | { readonly kind: 'group'; readonly group: Group }
  | { readonly kind: 'nothing' };

export interface Entry {
  readonly id: string;
  readonly cells: readonly Cell[];
  readonly about: About;
}

export const sectionNames = ['channels', 'sends', 'errors', 'alerts', 'groups'] as const;

export type SectionName = (typeof sectionNames)[number];

export interface Section {
  readonly name: SectionName;
  readonly title: string;
  readonly columns: readonly Pick<Column<never>, 'title' | 'align' | 'shrinks'>[];
  readonly entries: readonly Entry[];
}

export const orders = ['state', 'waiting', 'name'] as const;

/** By what the channels are ordered. */
export type Order = (typeof orders)[number];

/** All of them, with the rows that the filter lets through. */
export function sectionsOf(view: View, filter: Filter, order: Order): Section[] {
  const { activity, deliveries } = view;
  const { now, lately, channels, channel_states: states } = activity;
  const seconds = (now.getTime() - lately.since.getTime()) / 1000;
  const all = Object.values(states).reduce((sum, each) => sum + each, 0);
  const some = channels.length < all ? ` (${channels.length} of ${number(all)})` : '';
  const sortedBy = order === 'state' ? '' : ` by ${order}`;
  return [
    section(filter, {
      name: 'channels',
      title: `channels${some}${sortedBy}`,
      columns: channelColumns(now, seconds),
      rows: inOrder(channels, order),
      idOf: (row) => row.channel_id,
      about: (channel) => ({ kind: 'channel', channel }),
    }),
    deliveries === undefined
      ? section(filter, {
          name: 'sends',
          title: 'sending',
          columns: sendColumns(now),
          rows: activity.sends,
          idOf: (row) => row.delivery_id,
          about: (row) => deliveryOf(row.delivery_id, row.channel_id),
        })
      : section(filter, {
          name: 'sends',
          title: [...new Set(filter.statuses)].join(', '),
          columns: deliveryColumns(now),
          rows: deliveries,
          idOf: (row) => row.deliveryId,
          about: (row) => deliveryOf(row.deliveryId, row.channelId),
        }),
    section(filter, {
      name: 'errors',
      title: 'errors',
      columns: errorColumns(now),
      rows: activity.errors,
      idOf: (row) => `${row.channel_id}\t${row.code}\t${row.message ?? ''}`,
      about: (row) => deliveryOf(row.delivery_id, row.channel_id),
    }),
    section(filter, {
      name: 'alerts',
      title: 'alerts',
      columns: alertColumns(now),
      rows: activity.alerts,
      idOf: (row) => row.alert_id,
      about: (alert) => ({ kind: 'alert', alert }),
    }),
    section(filter, {
      name: 'groups',
      title: 'groups',
      columns: groupColumns(now),
      rows: activity.groups,
      idOf: (row) => `${row.platform}/${row.rate_group}`,
      about: (group) => ({ kind: 'group', group }),
    }),
  ];
}

function deliveryOf(deliveryId: string | null, channelId: string): About {
  return deliveryId === null ? { kind: 'nothing' } : { kind: 'delivery', deliveryId, channelId };
}

interface Made<Row> {
  readonly name: SectionName;
  readonly title: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly idOf: (row: Row) => string;
  readonly about: (row: Row) => About;
}

function section<Row>(filter: Filter, made: Made<Row>): Section {
  const { name, title, columns, rows, idOf, about } = made;
  const entries = rows.map((row): Entry => {
    const cells = columns.map((column) => asCell(column.cell(row)));
    return { id: idOf(row), cells, about: about(row) };
  });
  return {
    name,
    title,
    columns,
    entries: entries.filter(({ id, cells }) =>
      hasWords(filter, [id, ...cells.map((each) => each.text)]),
    ),
  };
}

function asCell(cell: Cell | string): Cell {
  const { text, colour } = typeof cell === 'string' ? { text: cell } : cell;
  return { text: oneLine(text), colour };
}

function inOrder(channels: readonly Channel[], order: Order): readonly Channel[] {
  if (order === 'state') return channels;
  return channels.toSorted(
    (a, b) =>
      (order === 'waiting' ? b.waiting - a.waiting : 0) || (a.channel_id < b.channel_id ? -1 : 1),
  );
}

function channelColumns(now: Date, seconds: number): Column<Channel>[] {
  return [
    { title: 'channel', shrinks: 20, cell: (row) => row.channel_id },
    { title: 'state', cell: (row) => stateCell(row, now) },
    { title: 'waiting', align: 'right', cell: ({ waiting }) => number(waiting, activityCountsTo) },
    { title: 'sending', align: 'right', cell: (row) => `${row.sending}/${row.max_parallel}` },
    {
      title: 'a minute',
      align: 'right',
      cell: ({ sent, rate_rps: limit }) =>
        `${perMinute(sent / seconds)}${limit ? ` of ${perMinute(limit)}` : ''}`,
    },
    { title: 'next', cell: (row) => nextOf(row, now) },
    {
      title: 'errors',
      align: 'right',
      cell: (row) => ({
        text: String(row.error_streak),
        colour: row.error_streak > 0 ? 'red' : undefined,
      }),
    },
    { title: 'platform', shrinks: 0, cell: (row) => row.platform },
    { title: 'why', shrinks: 0, cell: (row) => row.reason ?? '' },
    { title: 'title', shrinks: 0, cell: (row) => row.title ?? '' },
  ];
}

function stateCell({ state, until }: Channel, now: Date): Cell {
  const more = until === null ? '' : ` ${span(until.getTime() - now.getTime())}`;
  return { text: `${shortState(state)}${more}`, colour: stateColours[state] };
}

/** When the next delivery goes out; of a channel for which nothing waits, when it could. */
function nextOf({ next_at: next, slot_at: slot, waiting, state }: Channel, now: Date): string {
  if (next !== null) return relative(next, now);
  return waiting > 0 || state !== 'open' ? '–' : freeInWords(slot, now);
}

/** When a channel or a group could make its next call. */
function freeInWords(slot: Date | null, now: Date): string {
  const when = slot === null ? 'now' : relative(slot, now);
  return when === 'now' ? 'free' : `free ${when}`;
}

/** As much of an id as tells it from the others that are shown; its end, because its beginning is a time. */
function idInBrief(id: string): string {
  return id.slice(-8);
}

function sendColumns(now: Date): Column<ShownActivity['sends'][number]>[] {
  return [
    { title: 'delivery', cell: (row) => idInBrief(row.delivery_id) },
    { title: 'channel', shrinks: 10, cell: (row) => row.channel_id },
    { title: 'attempt', align: 'right', cell: (row) => String(row.attempt) },
    { title: 'for', align: 'right', cell: (row) => span(now.getTime() - row.started_at.getTime()) },
    {
      title: 'sender',
      cell: ({ lease_until: until }) =>
        until < now ? { text: 'silent', colour: 'red' } : { text: 'alive', colour: 'green' },
    },
    { title: 'text', shrinks: 0, cell: (row) => row.text },
  ];
}

function deliveryColumns(now: Date): Column<ListedDelivery>[] {
  return [
    { title: 'delivery', cell: (row) => idInBrief(row.deliveryId) },
    { title: 'channel', shrinks: 10, cell: (row) => row.channelId },
    { title: 'status', cell: ({ status }) => ({ text: status, colour: statusColours[status] }) },
    { title: 'attempt', align: 'right', cell: (row) => String(row.attempt) },
    { title: 'when', cell: (row) => relative(timeOf(row), now) },
    { title: 'why', shrinks: 12, cell: (row) => whyOf(row, now) },
    { title: 'text', shrinks: 0, cell: (row) => maskText(row.text) },
  ];
}

function errorColumns(now: Date): Column<ShownActivity['errors'][number]>[] {
  return [
    { title: 'last', cell: (row) => relative(row.last_at, now) },
    { title: 'times', align: 'right', cell: (row) => String(row.count) },
    { title: 'channel', shrinks: 10, cell: (row) => row.channel_id },
    {
      title: 'error',
      shrinks: 20,
      cell: ({ code, message }) => ({
        text: message === null ? code : `${code}: ${message}`,
        colour: 'red',
      }),
    },
  ];
}

const severityColours: Readonly<Record<Alert['severity'], Colour | undefined>> = {
  info: undefined,
  warning: 'yellow',
  critical: 'red',
};

function alertColumns(now: Date): Column<Alert>[] {
  return [
    {
      title: 'severity',
      cell: ({ severity }) => ({ text: severity, colour: severityColours[severity] }),
    },
    { title: 'since', cell: (row) => relative(row.opened_at, now) },
    { title: 'state', cell: (row) => row.state },
    { title: 'what', shrinks: 20, cell: (row) => row.summary },
  ];
}

function groupColumns(now: Date): Column<Group>[] {
  return [
    { title: 'group', shrinks: 10, cell: (row) => `${row.platform}/${row.rate_group}` },
    {
      title: 'state',
      cell: ({ state, until }) => ({
        text: `${shortState(state)}${until === null ? '' : ` ${span(until.getTime() - now.getTime())}`}`,
        colour: stateColours[state],
      }),
    },
    { title: 'channels', align: 'right', cell: (row) => String(row.channels) },
    {
      title: 'calls a minute',
      align: 'right',
      cell: ({ rate_rps: limit }) => (limit ? `up to ${perMinute(limit)}` : 'no limit'),
    },
    {
      title: 'next',
      cell: ({ state, slot_at: slot }) => (state === 'open' ? freeInWords(slot, now) : '–'),
    },
    { title: 'why', shrinks: 0, cell: (row) => row.reason ?? '' },
  ];
}
