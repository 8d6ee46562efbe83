// Whether an expression reads only nodes that have run: those before its own, and those whose way is done before it.

import { outputsOf, type Workflow, type WorkflowNode } from './workflow.ts';

/** `$('A node').isExecuted` asks whether it has run, so it may ask for any. */
const read = /\$\('([^']*)'\)(?!\.isExecuted\b)/g;
const named = /\$\('([^']*)'\)/g;

export function referenceFaults(
  workflow: Workflow,
  reachableFrom: (name: string) => readonly string[],
): string[] {
  const called = new Set(workflow.nodes.map(({ name }) => name));
  return workflow.nodes.flatMap((node) => {
    const text = JSON.stringify(node.parameters);
    const missing = namesIn(text, named)
      .filter((name) => !called.has(name))
      .map((name) => `"${node.name}" reads "${name}", which is not there`);
    const late = namesIn(text, read)
      .filter((name) => called.has(name) && !reachableFrom(name).includes(node.name))
      .filter((name) => !isDoneBefore(workflow, name, node))
      .map((name) => `"${node.name}" reads "${name}", which may not have run`);
    return [...missing, ...late];
  });
}

function namesIn(text: string, pattern: RegExp): string[] {
  return [...new Set([...text.matchAll(pattern)].map(([, name = '']) => name))];
}

/** Of two nodes that one output leads to, n8n does the upper one and all behind it first. */
function isDoneBefore(workflow: Workflow, name: string, node: WorkflowNode): boolean {
  const height = workflow.nodes.find((each) => each.name === name)?.position[1] ?? 0;
  return workflow.nodes.some((each) =>
    outputsOf(workflow, each).some(
      (targets) =>
        targets.includes(name) && targets.includes(node.name) && height < node.position[1],
    ),
  );
}
