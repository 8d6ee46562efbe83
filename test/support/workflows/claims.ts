// Whether every claim ends in a commit or a release, whichever way its rows take through a workflow.

import { z } from 'zod';
import { calledFunction } from './called-function.ts';
import { nodeNamed, outputsOf, typeOf, type Workflow, type WorkflowNode } from './workflow.ts';

interface Claim {
  /** What ends it. */
  readonly ends: readonly string[];
  /** The argument that says how many rows it takes; one where there is none. */
  readonly limit?: number;
  /** The argument that says how long it lasts; the database knows where there is none. */
  readonly lease?: number;
}

const claims: Readonly<Record<string, Claim>> = {
  claim_deliveries: { ends: ['commit_outcomes', 'release_claims'], limit: 2, lease: 3 },
  claim_bot_replies: { ends: ['commit_bot_replies'], limit: 1 },
  claim_pull_source: { ends: ['ingest_pull_chunk', 'fail_pull', 'release_pull'], lease: 1 },
  claim_notifications: { ends: ['commit_notification'], limit: 0, lease: 1 },
};

const most = 20;

/** What would be lost if it were not recorded at once: the outcome of a send. */
const recordsSend = new Set(['commit_outcomes', 'commit_bot_replies', 'commit_notification']);

/** The ways on which a claimed row is lost or goes twice, in words. */
export function openClaims(workflow: Workflow): string[] {
  return [...workflow.nodes.flatMap((node) => claimFaults(workflow, node)), ...lostRows(workflow)];
}

function claimFaults(workflow: Workflow, node: WorkflowNode): string[] {
  if (typeOf(node) !== 'postgres') return [];
  const { name, values } = calledFunction(node);
  const faults: string[] = [];
  if (recordsSend.has(name) && !(node.retryOnFail === true && (node.maxTries ?? 0) > 1)) {
    faults.push(`"${node.name}" is tried once`);
  }
  const isEnd = Object.values(claims).some(({ ends }) => ends.includes(name));
  if (isEnd && node.onError !== 'continueRegularOutput') {
    faults.push(`"${node.name}" leaves the other rows open when it fails`);
  }
  const claim = claims[name];
  if (claim === undefined) return faults;
  const limit = claim.limit === undefined ? 1 : Number(values?.[claim.limit]);
  if (!(limit >= 1 && limit <= most))
    faults.push(`"${node.name}" claims none, or more than ${most}`);
  if (claim.lease !== undefined && !/^'[1-9] minutes?'$/.test(values?.[claim.lease] ?? '')) {
    faults.push(`"${node.name}" claims for another time than minutes`);
  }
  // One that claims for several workspaces loses what it has when it fails on the next.
  if (!takesOneRow(node) && node.onError !== 'continueRegularOutput') {
    faults.push(`"${node.name}" loses the rows of others when it fails`);
  }
  return [...faults, ...openWays(workflow, node, new Set(claim.ends), [node.name])];
}

/** An adapter answers for every row that it is given. */
function lostRows({ name, nodes }: Workflow): string[] {
  if (!name.startsWith('adapter_')) return [];
  return nodes
    .filter((node) => takesOneRow(node) || ['if', 'switch', 'splitOut'].includes(typeOf(node)))
    .map((node) => `"${node.name}" may drop rows`);
}

function openWays(
  workflow: Workflow,
  from: WorkflowNode,
  ends: ReadonlySet<string>,
  way: readonly string[],
): string[] {
  return outputsWith(workflow, from).flatMap(({ output, targets }) => {
    if (targets.length === 0) return [`${way.join(' → ')}: output ${output} leads nowhere`];
    if (targets.length > 1) return [`${way.join(' → ')}: output ${output} leads two ways`];
    return targets.flatMap((name) => {
      const node = nodeNamed(workflow, name);
      if (takesOneRow(node))
        return [`${[...way, name].join(' → ')}: takes one row and drops the rest`];
      if (typeOf(node) === 'executeWorkflow' && !isSender(node))
        return [`${[...way, name].join(' → ')}: is no adapter that is waited for`];
      if (typeOf(node) === 'postgres' && ends.has(calledFunction(node).name)) return [];
      if (way.includes(name)) return [`${[...way, name].join(' → ')}: goes round without an end`];
      return openWays(workflow, node, ends, [...way, name]);
    });
  });
}

function takesOneRow(node: WorkflowNode): boolean {
  return node.executeOnce === true || typeOf(node) === 'limit';
}

const Sender = z.object({
  options: z.object({ waitForSubWorkflow: z.literal(true) }),
  workflowId: z.object({ cachedResultName: z.string().startsWith('adapter_') }),
});

function isSender(node: WorkflowNode): boolean {
  return node.onError === 'continueErrorOutput' && Sender.safeParse(node.parameters).success;
}

interface Output {
  readonly output: number;
  readonly targets: readonly string[];
}

const Condition = z.object({ conditions: z.array(z.object({ leftValue: z.string() })) });
const Branching = z.object({
  conditions: Condition.optional(),
  rules: z.object({ values: z.array(z.object({ conditions: Condition })) }).optional(),
  options: z.object({ fallbackOutput: z.string().optional() }),
});

/** Every row of a claim passes this test. What does not is the error of a claim, which has nothing to end. */
const isRow = '={{ $json.claim_token !== undefined }}';

/** The outputs that rows of a claim can leave a node by. */
function outputsWith(workflow: Workflow, node: WorkflowNode): Output[] {
  const outputs = outputsOf(workflow, node);
  return Array.from({ length: countOfOutputs(node) }, (_, output) => ({
    output,
    targets: outputs[output] ?? [],
  }));
}

function countOfOutputs(node: WorkflowNode): number {
  const type = typeOf(node);
  if (type !== 'if' && type !== 'switch') return node.onError === 'continueErrorOutput' ? 2 : 1;
  const { conditions, rules, options } = Branching.parse(node.parameters);
  if (type === 'if') return conditions !== undefined && tests(conditions) === isRow ? 1 : 2;
  const values = rules?.values ?? [];
  const last = values.at(-1);
  const takesAll = last !== undefined && tests(last.conditions) === isRow;
  // A switch without a fallback drops what no rule takes: one more output, which leads nowhere.
  return values.length + (options.fallbackOutput === undefined && takesAll ? 0 : 1);
}

function tests({ conditions: [first] }: z.output<typeof Condition>): string | undefined {
  return first?.leftValue;
}
