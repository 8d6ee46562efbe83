// The files of workflows/, as n8n reads them.

import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';

const Target = z.strictObject({ node: z.string(), type: z.literal('main'), index: z.literal(0) });

const Node = z.strictObject({
  id: z.uuid(),
  name: z.string(),
  type: z.string(),
  typeVersion: z.number(),
  position: z.tuple([z.int(), z.int()]),
  parameters: z.record(z.string(), z.unknown()),
  credentials: z.record(z.string(), z.record(z.string(), z.string())).optional(),
  webhookId: z.uuid().optional(),
  onError: z.enum(['continueRegularOutput', 'continueErrorOutput']).optional(),
  executeOnce: z.boolean().optional(),
  retryOnFail: z.boolean().optional(),
  maxTries: z.int().max(5).optional(),
  waitBetweenTries: z.int().max(5000).optional(),
});

const Workflow = z.strictObject({
  id: z.string().max(36),
  name: z.string(),
  active: z.literal(false),
  settings: z.record(z.string(), z.unknown()),
  nodes: z.array(Node),
  connections: z.record(z.string(), z.strictObject({ main: z.array(z.array(Target)) })),
  pinData: z.strictObject({}),
  meta: z.record(z.string(), z.unknown()),
});

export type Workflow = z.output<typeof Workflow>;
export type WorkflowNode = z.output<typeof Node>;

const folder = path.join(import.meta.dirname, '../../../workflows');

/** The texts of all files, by their names without `.json`. */
export function workflowTexts(): Map<string, string> {
  const files = readdirSync(folder).toSorted();
  return new Map(
    files.map((file) => [
      path.basename(file, '.json'),
      readFileSync(path.join(folder, file), 'utf8'),
    ]),
  );
}

export function parseWorkflow(text: string): Workflow {
  return Workflow.parse(JSON.parse(text));
}

export function readWorkflows(): Workflow[] {
  return [...workflowTexts().values()].map(parseWorkflow);
}

export function nodeNamed(workflow: Workflow, name: string): WorkflowNode {
  const found = workflow.nodes.find((node) => node.name === name);
  if (found === undefined) throw new Error(`${workflow.name} has no node "${name}"`);
  return found;
}

/** The type without the package that brings it. */
export function typeOf(node: WorkflowNode): string {
  return node.type.replace(/^n8n-nodes-base\./, '');
}

/** The names of the nodes that each output of a node leads to. */
export function outputsOf(workflow: Workflow, node: WorkflowNode): string[][] {
  const { main } = workflow.connections[node.name] ?? { main: [] };
  return main.map((targets) => targets.map((target) => target.node));
}
