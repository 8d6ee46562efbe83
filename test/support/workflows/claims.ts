// Whether every claim ends in a commit or a release, whichever way its rows take through a workflow.

import { z } from 'zod';
import { calledFunction } from './called-function.ts';
import { nodeNamed, outputsOf, typeOf, type Workflow, type WorkflowNode } from './workflow.ts';

/** What ends a claim, by the function that makes it. */
const endsOf: Readonly<Record<string, readonly string[]>> = {
  claim_deliveries: ['commit_outcomes', 'release_claims'],
  claim_bot_replies: ['commit_bot_replies'],
  claim_pull_source: ['ingest_pull_chunk', 'fail_pull', 'release_pull'],
  claim_notifications: ['commit_notification'],
};

/** The ways on which a claimed row is lost, in words. */
export function openClaims(workflow: Workflow): string[] {
  return workflow.nodes.flatMap((node) => {
    const ends = typeOf(node) === 'postgres' ? endsOf[calledFunction(node).name] : undefined;
    return ends === undefined ? [] : openWays(workflow, node, new Set(ends), [node.name]);
  });
}

function openWays(
  workflow: Workflow,
  from: WorkflowNode,
  ends: ReadonlySet<string>,
  way: readonly string[],
): string[] {
  return outputsWith(workflow, from).flatMap(({ output, targets }) => {
    if (targets.length === 0) return [`${way.join(' → ')}: output ${output} leads nowhere`];
    return targets.flatMap((name) => {
      const node = nodeNamed(workflow, name);
      if (takesOneRow(node))
        return [`${[...way, name].join(' → ')}: takes one row and drops the rest`];
      if (typeOf(node) === 'postgres' && ends.has(calledFunction(node).name)) return [];
      if (way.includes(name)) return [`${[...way, name].join(' → ')}: goes round without an end`];
      return openWays(workflow, node, ends, [...way, name]);
    });
  });
}

function takesOneRow(node: WorkflowNode): boolean {
  return node.executeOnce === true || typeOf(node) === 'limit';
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
