// What a workflow must not be, judged from its file alone.

import { z } from 'zod';
import { calledFunction } from './called-function.ts';
import { openClaims } from './claims.ts';
import { faultsOfFailing, formFaults, ruleFaults } from './node-forms.ts';
import { referenceFaults } from './references.ts';
import {
  nodeNamed,
  outputsOf,
  parseWorkflow,
  typeOf,
  type Workflow,
  type WorkflowNode,
} from './workflow.ts';

/** The nodes that orchestrate. `wait`, `code`, `function`, `splitInBatches` and `merge` are not among them, on purpose. */
const allowed = new Set([
  'crypto',
  'executeWorkflow',
  'executeWorkflowTrigger',
  'httpRequest',
  'if',
  'limit',
  'noOp',
  'postgres',
  'respondToWebhook',
  'scheduleTrigger',
  'set',
  'splitOut',
  'stickyNote',
  'switch',
  'webhook',
]);

/** Credentials by type: the id and the name that docs/n8n.md tells people to make. */
const credentials: Readonly<Record<string, { readonly id: string; readonly name: string }>> = {
  postgres: { id: 'outriderPostgres', name: 'Outrider: PostgreSQL' },
  httpBearerAuth: { id: 'outriderGateway', name: 'Outrider: gateway' },
  httpHeaderAuth: { id: 'outriderRunNow', name: 'Outrider: run now' },
};

/** None that ends a run, keeps what passes through it, or calls others. */
const Settings = z.strictObject({
  executionOrder: z.string(),
  callerPolicy: z.literal('workflowsFromSameOwner').optional(),
  saveDataErrorExecution: z.enum(['all', 'none']),
  saveDataSuccessExecution: z.string(),
  saveExecutionProgress: z.literal(false),
});

/** One sentence for each fault of the file. `names` are those of all workflows, by their ids. */
export function workflowFaults(
  name: string,
  text: string,
  names: ReadonlyMap<string, string>,
): string[] {
  const faults = textFaults(text);
  const workflow = parseWorkflow(text);
  if (workflow.name !== name) faults.push(`is called "${workflow.name}" in the file ${name}.json`);
  if (workflow.settings['executionOrder'] !== 'v1') faults.push('has no executionOrder v1');
  if (!Settings.safeParse(workflow.settings).success) faults.push('has settings of its own');
  const called = workflow.nodes.map((node) => node.name);
  if (new Set(called).size < called.length) faults.push('has two nodes of one name');
  for (const node of workflow.nodes) {
    faults.push(...nodeFaults(node, names).map((fault) => `"${node.name}" ${fault}`));
  }
  const canReadCalls = faults.length === 0;
  faults.push(...wiringFaults(workflow));
  faults.push(...referenceFaults(workflow, (from) => reachableFrom(workflow, from)));
  if (canReadCalls) faults.push(...openClaims(workflow), ...wakeFaults(workflow));
  return faults;
}

/** A key that names one, an authorization, a password in an address, and what looks random as tokens do. */
const secrets = [
  /"\w*(password|secret|token|apiKey)": "(?!=)/i,
  /(password|secret|api_?key)(\\?["'])?\s*[!:=]=*\s*(\\?["'])?\w{3}/i,
  /bearer [\w-]{6,}/i,
  /\w:\/\/\w+:[^@/"]+@/,
  /(?<![\w-])(?=[A-Za-z_-]*\d)(?=[\d_-]*[A-Za-z])(?!\w{8}(-\w{4}){3}-\w{12}")[\w-]{20,}/,
  /(?<!\w)([a-z]{24,}|[A-Z]{24,})(?!\w)/,
];

function textFaults(text: string): string[] {
  const faults: string[] = [];
  const json: unknown = JSON.parse(text);
  if (`${JSON.stringify(sorted(json), undefined, 2)}\n` !== text) {
    faults.push('is not written with sorted keys and two spaces');
  }
  if (secrets.some((secret) => secret.test(text))) faults.push('may hold a secret');
  return faults;
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, each]) => [key, sorted(each)]));
}

const words = /^[A-Z][\w,]*( [\w,]+)+\??$/;
/** As n8n calls nodes by itself. */
const byItself =
  /^(HTTP Request|Edit Fields|Execute (a SQL query|Workflow)|Split Out|Schedule Trigger|Respond to Webhook|No Operation)|\d$/;

function nodeFaults(node: WorkflowNode, names: ReadonlyMap<string, string>): string[] {
  const faults: string[] = [];
  const type = typeOf(node);
  if (!allowed.has(type)) faults.push(`is of the type ${type}, which does more than orchestrate`);
  if (!words.test(node.name) || byItself.test(node.name))
    faults.push('has a name that does not say what it does');
  if (type === 'webhook' && node.webhookId === undefined) faults.push('has no webhookId');
  return [
    ...faults,
    ...credentialFaults(node),
    ...formFaults(node),
    ...faultsOfFailing(node),
    ...ruleFaults(node),
    ...typeFaults(node, names),
  ];
}

/** What each node must be called with. */
function credentialFaults(node: WorkflowNode): string[] {
  const needed = neededCredential(node);
  const given = Object.entries(node.credentials ?? {});
  if (needed === undefined) return given.length === 0 ? [] : ['has a credential that it needs not'];
  const [first] = given;
  const { id, name } = credentials[needed] ?? {};
  const isRight = first?.[0] === needed && first[1]['id'] === id && first[1]['name'] === name;
  return given.length === 1 && isRight && Object.keys(first[1]).length === 2
    ? []
    : [`does not refer to the credential "${name}"`];
}

function neededCredential(node: WorkflowNode): string | undefined {
  const type = typeOf(node);
  if (type === 'postgres') return 'postgres';
  if (type === 'httpRequest') return 'httpBearerAuth';
  // What platforms and senders of posts call carries a secret of its own, which the database knows.
  const isCalledByStrangers = node.parameters['responseMode'] === 'responseNode';
  return type === 'webhook' && !isCalledByStrangers ? 'httpHeaderAuth' : undefined;
}

const Sub = z.object({
  workflowId: z.object({ value: z.string(), cachedResultName: z.string() }),
});

function typeFaults(node: WorkflowNode, names: ReadonlyMap<string, string>): string[] {
  const type = typeOf(node);
  if (type === 'postgres') return queryFaults(node);
  if (type === 'executeWorkflow') {
    const { data } = Sub.safeParse(node.parameters);
    const isOurs = names.get(data?.workflowId.value ?? '') === data?.workflowId.cachedResultName;
    return data !== undefined && isOurs ? [] : ['calls no workflow of ours'];
  }
  if (type === 'httpRequest') {
    return node.onError === 'continueRegularOutput' ? [] : ['ends the run when it fails'];
  }
  return [];
}

function queryFaults(node: WorkflowNode): string[] {
  let called: ReturnType<typeof calledFunction>;
  try {
    called = calledFunction(node);
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)];
  }
  const { values, query } = called;
  if (values === undefined) return ['does not give its parameters as an array'];
  const places = new Set(query.match(/\$\d+/g));
  const isWhole = places.size === values.length && values.every((_, n) => places.has(`$${n + 1}`));
  return isWhole ? [] : [`gives ${values.length} parameters to ${places.size} places`];
}

function wiringFaults(workflow: Workflow): string[] {
  const faults: string[] = [];
  const byType = (type: string): WorkflowNode[] =>
    workflow.nodes.filter((node) => typeOf(node) === type);
  if (byType('stickyNote').length === 0) faults.push('has no note that explains the flow');
  const twins = byType('webhook').map((node) => outputsOf(workflow, node).join());
  for (const schedule of byType('scheduleTrigger')) {
    if (!twins.includes(outputsOf(workflow, schedule).join())) {
      faults.push(`"${schedule.name}" has no webhook that leads to the same node`);
    }
  }
  const begins = workflow.nodes.filter((node) => /Trigger$|^webhook$/.test(typeOf(node)));
  const reached = new Set(begins.flatMap(({ name }) => [name, ...reachableFrom(workflow, name)]));
  for (const node of workflow.nodes) {
    const isNote = typeOf(node) === 'stickyNote';
    if (!isNote && !reached.has(node.name)) faults.push(`"${node.name}" is never reached`);
  }
  const behind = new Set(Object.values(workflow.connections).flatMap(targetsOf));
  for (const { name } of begins.filter((each) => behind.has(each.name))) {
    faults.push(`leads back to "${name}", which only begins`);
  }
  const called = new Set(workflow.nodes.map(({ name }) => name));
  for (const name of [...Object.keys(workflow.connections), ...reached]) {
    if (!called.has(name)) faults.push(`leads from or to "${name}", which is not there`);
  }
  faults.push(...byType('webhook').flatMap((webhook) => strangerFaults(workflow, webhook)));
  const hearsSecrets = byType('crypto').length > 0;
  const { saveDataErrorExecution: onError, saveDataSuccessExecution: onSuccess } =
    workflow.settings;
  if (onSuccess !== 'none') faults.push('keeps a record of every run');
  if (hearsSecrets && onError !== 'none') faults.push('keeps requests that carry secrets');
  return faults;
}

/** Whoever has no credential of n8n shows a secret, and is answered when the database has spoken. */
function strangerFaults(workflow: Workflow, webhook: WorkflowNode): string[] {
  if (neededCredential(webhook) !== undefined) return [];
  const isOf = (type: string) => (name: string) => typeOf(nodeNamed(workflow, name)) === type;
  const faults: string[] = [];
  if (!reachableFrom(workflow, webhook.name).some(isOf('crypto'))) {
    faults.push(`"${webhook.name}" lets anybody in`);
  }
  if (reachableFrom(workflow, webhook.name, isOf('postgres')).some(isOf('respondToWebhook'))) {
    faults.push(`"${webhook.name}" is answered before anything is on record`);
  }
  return faults;
}

function targetsOf({ main }: Workflow['connections'][string]): string[] {
  return main.flat().map((target) => target.node);
}

const enqueues = new Set([
  'ingest_push',
  'enqueue_copied_post',
  'ingest_pull_chunk',
  'run_bot_turn',
]);

/** Somewhere behind each call that queues something, the senders are woken. */
function wakeFaults(workflow: Workflow): string[] {
  const calls = new Map(
    workflow.nodes.flatMap((node) =>
      typeOf(node) === 'postgres' ? [[node.name, calledFunction(node).name]] : [],
    ),
  );
  return [...calls].flatMap(([name, called]) => {
    if (!enqueues.has(called)) return [];
    const behind = reachableFrom(workflow, name);
    return behind.some((each) => calls.get(each) === 'wake_dispatchers')
      ? []
      : [`"${name}" wakes nobody`];
  });
}

/** What lies behind a node, and not behind those that end the way. */
function reachableFrom(
  workflow: Workflow,
  name: string,
  endsWay: (name: string) => boolean = () => false,
): string[] {
  const seen = new Set<string>();
  const left = [name];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const connection = workflow.connections[next];
    for (const target of connection === undefined ? [] : targetsOf(connection)) {
      if (seen.has(target)) continue;
      seen.add(target);
      if (!endsWay(target)) left.push(target);
    }
  }
  return [...seen];
}
