// Asks the questions of docs/queries.md in a small database in which each id that matters has a name.

import type pg from 'pg';
import { z } from 'zod';
import { start } from '../database/seed.ts';
import { bind, documentedQueries } from './documented-queries.ts';

/** A row of an answer, with names in place of ids and seconds after the start in place of times. */
export type Row = Readonly<Record<string, unknown>>;

export interface Ask {
  readonly values: Readonly<Record<string, unknown>>;
  readonly rows: readonly Row[];
}

/** For each test file, the headings of the page whose questions it answers. */
export const answeredSections = {
  queue: ['What waits', 'What is being sent', 'Dedup'],
  deliveries: ['Deliveries'],
  events: ['Events', 'Messages'],
  intake: ['Channels', 'Intake', 'Media'],
  outbox: ['The outbox', 'Processed events'],
  alerts: ['Alerts'],
  bots: ['Bots'],
} as const;

/** Whether the query says in which order the rows come. */
const isOrdered = /\border by\b[^)]*$/;

export class NamedWorld {
  readonly #client: pg.Pool;
  readonly #names = new Map<string, string>();

  constructor(client: pg.Pool) {
    this.#client = client;
  }

  /** Gives an id a name; answers with the id. */
  name(name: string, id: string): string {
    this.#names.set(id, name);
    return id;
  }

  /** The id that has a name. */
  id(name: string): string {
    const found = [...this.#names].find(([, each]) => each === name);
    if (found === undefined) throw new Error(`nothing is called ${name}`);
    return found[0];
  }

  /** The answer to a question: in the order of the query if it has one, otherwise sorted. */
  async ask(question: string, values: Ask['values']): Promise<Row[]> {
    const documented = documentedQueries().find((each) => each.question === question);
    if (documented === undefined) throw new Error(`the page does not ask: ${question}`);
    const { text, values: bound } = bind(documented.sql, values);
    const result = await this.#client.query(text, bound);
    const rows = z.array(z.record(z.string(), z.unknown())).parse(result.rows);
    return inOrder(
      documented.sql,
      rows.map((row) => this.#inWords(row)),
    );
  }

  #inWords(row: Row): Row {
    return Object.fromEntries(
      Object.entries(row).map(([column, value]) => [column, this.#word(value)]),
    );
  }

  #word(value: unknown): unknown {
    if (typeof value !== 'string') return value;
    const isTime = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d+)?\+00$/.test(value);
    if (isTime) return (Date.parse(`${value.replace(' ', 'T')}:00`) - Date.parse(start)) / 1000;
    return this.#names.get(value) ?? value;
  }
}

/** The rows as they are if the query orders them, otherwise sorted. */
export function inOrder(sql: string, rows: readonly Row[]): Row[] {
  if (isOrdered.test(sql.trim())) return [...rows];
  return rows.toSorted((one, other) => textOf(one).localeCompare(textOf(other)));
}

function textOf(row: Row): string {
  return JSON.stringify(Object.entries(row).toSorted(([one], [other]) => one.localeCompare(other)));
}

export function sqlOf(question: string): string {
  return documentedQueries().find((each) => each.question === question)?.sql ?? '';
}

/** The questions of some sections. */
export function questionsOf(sections: readonly string[]): string[] {
  return documentedQueries()
    .filter((each) => sections.includes(each.section))
    .map((each) => each.question);
}
