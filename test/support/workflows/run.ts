// Runs a workflow as n8n does, on a database and a gateway that the test imitates. So a test sees which rows go which way, and
// what is called with them in the end.

import { z } from 'zod';
import { calledFunction } from './called-function.ts';
import { evaluate } from './expression.ts';
import { nodeNamed, outputsOf, typeOf, type Workflow, type WorkflowNode } from './workflow.ts';

/** What passes through a workflow, with the items that it was made of, by the names of the nodes that made them. */
interface Item {
  readonly json: object;
  readonly madeOf: ReadonlyMap<string, Item>;
}

/** A call of a function of the database. */
export interface Call {
  readonly name: string;
  readonly args: readonly unknown[];
}

export interface World {
  readonly workflows: readonly Workflow[];
  /** The rows of an answer of the database. */
  readonly call: (call: Call) => readonly object[];
  /** The answer of the gateway, as the HTTP node tells it. */
  readonly ask: (route: string, body: object) => object;
  /** Whether a sub-workflow of this name breaks off. */
  readonly breaksOff?: ((name: string) => boolean) | undefined;
  /** Told of the answer to a webhook. */
  readonly onAnswer?: ((status: number, body: unknown) => void) | undefined;
}

const Text = z.string();
const Json = z.looseObject({});
const Conditions = z.object({ conditions: z.tuple([z.object({ leftValue: z.string() })]) });
const If = z.object({ conditions: Conditions });
const Switch = z.object({
  rules: z.object({ values: z.array(z.object({ conditions: Conditions })) }),
  options: z.object({ fallbackOutput: z.string().optional() }),
});
const Sub = z.object({
  workflowId: z.object({ value: z.string(), cachedResultName: z.string() }),
});
const Response = z.object({
  responseBody: z.string(),
  options: z.object({ responseCode: z.union([z.int(), z.string()]) }),
});
const gateway = 'http://gateway';
/** More than any run of a test needs. */
const mostRuns = 100;

/** Begins at a trigger. Answers with what the last node gave. */
export function runWorkflow(
  workflow: Workflow,
  trigger: string,
  given: readonly object[],
  world: World,
): object[] {
  /** What each node gave, run by run. */
  const ran = new Map<string, Item[][]>();
  let last: readonly Item[] = [];

  /** Depth first: what lies behind a node is done before its neighbours. */
  function visit(name: string, came: readonly Item[], previous: string): void {
    if ((ran.get(name)?.length ?? 0) >= mostRuns) throw new Error(`"${name}" runs without an end`);
    const node = nodeNamed(workflow, name);
    const items = node.executeOnce === true ? came.slice(0, 1) : came;
    const outputs = outputsFor(node, items, previous).map((left) =>
      left.map((item) => madeBy(name, item)),
    );
    last = outputs.flat();
    ran.set(name, [...(ran.get(name) ?? []), [...last]]);
    for (const { target, left } of wayOn(node, outputs)) visit(target, left, name);
  }

  /** The nodes that get something, from the top to the bottom of the canvas. */
  function wayOn(node: WorkflowNode, outputs: readonly Item[][]) {
    const targets = outputsOf(workflow, node);
    const height = (name: string): number => nodeNamed(workflow, name).position[1];
    return outputs
      .flatMap((left, output) => (targets[output] ?? []).map((target) => ({ target, left })))
      .filter(({ left }) => left.length > 0)
      .toSorted((a, b) => height(a.target) - height(b.target));
  }

  function outputsFor(node: WorkflowNode, items: readonly Item[], previous: string): Item[][] {
    const { parameters } = node;
    const look = (item: Item) => (expression: unknown) =>
      read(node.name, item, previous, Text.parse(expression));
    const each = (work: (item: Item) => readonly object[]): Item[][] => [
      items.flatMap((item) => work(item).map((json) => ({ ...item, json }))),
    ];
    switch (typeOf(node)) {
      case 'postgres':
        return each((item) => tolerated(node, world.call(callOf(node, look(item)))));
      case 'httpRequest':
        return each((item) => {
          const url = Text.parse(look(item)(parameters['url']));
          const body = Json.parse(JSON.parse(Text.parse(look(item)(parameters['jsonBody']))));
          return [world.ask(url.replace(gateway, ''), body)];
        });
      case 'set':
        return each((item) => [
          Json.parse(JSON.parse(Text.parse(look(item)(parameters['jsonOutput'])))),
        ]);
      case 'crypto':
        return each((item) => [{ ...item.json, secret_hash: look(item)(parameters['value']) }]);
      case 'splitOut':
        return each(({ json }) =>
          z.array(Json).parse(Reflect.get(json, Text.parse(parameters['fieldToSplitOut']))),
        );
      case 'limit':
        return [items.slice(0, 1)];
      case 'if':
      case 'switch':
        return branches(node, items, look);
      case 'executeWorkflow':
        return called(node, items);
      case 'respondToWebhook': {
        const [item] = items;
        const { responseBody, options } = Response.parse(parameters);
        const { responseCode: code } = options;
        if (item === undefined) return [[]];
        const status = z.int().parse(typeof code === 'number' ? code : look(item)(code));
        world.onAnswer?.(status, JSON.parse(Text.parse(look(item)(responseBody))));
        return [[...items]];
      }
      default:
        return [[...items]];
    }
  }

  /** One output for each rule, and one for what no rule takes; a switch without a fallback drops that. */
  function branches(
    node: WorkflowNode,
    items: readonly Item[],
    look: (item: Item) => (expression: unknown) => unknown,
  ): Item[][] {
    const rules =
      typeOf(node) === 'if'
        ? [If.parse(node.parameters).conditions]
        : Switch.parse(node.parameters).rules.values.map(({ conditions }) => conditions);
    const outputs: Item[][] = Array.from({ length: rules.length + 1 }, () => []);
    const drops =
      typeOf(node) === 'switch' &&
      Switch.parse(node.parameters).options.fallbackOutput === undefined;
    for (const item of items) {
      const rule = rules.findIndex(({ conditions: [{ leftValue }] }) =>
        z.boolean().parse(look(item)(leftValue)),
      );
      if (rule !== -1 || !drops) outputs[rule === -1 ? rules.length : rule]?.push(item);
    }
    return outputs;
  }

  function called(node: WorkflowNode, items: readonly Item[]): Item[][] {
    const { value, cachedResultName } = Sub.parse(node.parameters).workflowId;
    const broken = { json: { error: 'it broke off' }, madeOf: new Map() };
    if (world.breaksOff?.(cachedResultName) === true) return [[], [broken]];
    const sub = world.workflows.find(({ id }) => id === value);
    const begin = sub?.nodes.find((each) => typeOf(each) === 'executeWorkflowTrigger');
    if (sub === undefined || begin === undefined) throw new Error(`no workflow ${value}`);
    const rows = items.map(({ json }) => json);
    const gave = runWorkflow(sub, begin.name, rows, world);
    return [gave.map((json) => ({ json, madeOf: new Map() }))];
  }

  /** The value of an expression, or the text that is none. */
  function read(name: string, item: Item, previous: string, expression: string): unknown {
    if (!expression.startsWith('=')) return expression;
    return evaluate(expression, {
      $json: item.json,
      $: (other) => {
        const runs = ran.get(other) ?? [];
        const latest = runs.at(-1) ?? [];
        return {
          item: item.madeOf.get(other),
          first: () => latest[0],
          last: () => latest.at(-1),
          all: () => latest,
          isExecuted: runs.length > 0,
        };
      },
      $env: { OUTRIDER_GATEWAY_URL: gateway },
      $execution: { id: '42' },
      $workflow: { id: workflow.id },
      $prevNode: { name: previous },
      $runIndex: ran.get(name)?.length ?? 0,
    });
  }

  visit(
    trigger,
    given.map((json) => ({ json, madeOf: new Map() })),
    '',
  );
  return last.map(({ json }) => json);
}

function madeBy(name: string, { json, madeOf }: Item): Item {
  const chain = new Map(madeOf);
  const item = { json, madeOf: chain };
  chain.set(name, item);
  return item;
}

/** An error of the database is a row like others, where the node goes on; otherwise it ends the run. */
function tolerated(node: WorkflowNode, rows: readonly object[]): readonly object[] {
  if (node.onError === undefined && rows.some((row) => 'error' in row)) {
    throw new Error(`"${node.name}" ends the run`);
  }
  return rows;
}

/** The call with its values in their places. */
function callOf(node: WorkflowNode, look: (expression: string) => unknown): Call {
  const { name, args, values = [] } = calledFunction(node);
  const given = values.map((value) => look(`={{ ${value} }}`));
  const constants: Readonly<Record<string, unknown>> = { null: null, true: true, false: false };
  return {
    name,
    args: args.map((arg) => {
      const place = /\$(\d+)/.exec(arg)?.[1];
      if (place !== undefined) return given[Number(place) - 1];
      return constants[arg] ?? (/^\d+$/.test(arg) ? Number(arg) : null);
    }),
  };
}
