// Evaluates an expression of a workflow as n8n does, with the data that a test gives.

import { runInNewContext } from 'node:vm';

export interface Scope {
  /** The item that came in. */
  readonly $json: object;
  /** The items of other nodes, by the names of the nodes; each has one. */
  readonly nodes?: Readonly<Record<string, object>> | undefined;
  /** Finds a node by its name; in place of `nodes`. */
  readonly $?: ((name: string) => object) | undefined;
  readonly $env?: Readonly<Record<string, string>> | undefined;
  readonly $execution?: { readonly id: string } | undefined;
  readonly $workflow?: { readonly id: string } | undefined;
  readonly $runIndex?: number | undefined;
  readonly $prevNode?: { readonly name: string } | undefined;
}

/** `expression` begins with `=` and is one pair of braces, as all of ours are. */
export function evaluate(expression: string, { nodes = {}, ...scope }: Scope): unknown {
  const code = /^=\{\{ (.*) \}\}$/s.exec(expression)?.[1];
  if (code === undefined) throw new Error(`no expression: ${expression}`);
  const find = (name: string): object => {
    const json = nodes[name];
    if (json === undefined) throw new Error(`no data of "${name}"`);
    const one = { json };
    return { item: one, first: () => one, last: () => one, all: () => [one] };
  };
  const result: unknown = runInNewContext(`JSON.stringify(${code}) ?? 'null'`, {
    $: find,
    ...scope,
    URL,
  });
  return JSON.parse(String(result));
}
