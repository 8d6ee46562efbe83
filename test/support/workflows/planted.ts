// Plants a fault in one of our workflows.

import { workflowFaults } from './faults.ts';
import { parseWorkflow, type Workflow, workflowTexts } from './workflow.ts';

const texts = workflowTexts();

/** The names of our workflows, by their ids. */
export const names: ReadonlyMap<string, string> = new Map(
  [...texts.values()].map((text) => {
    const { id, name } = parseWorkflow(text);
    return [id, name];
  }),
);

/** Plants a fault in a workflow; answers with what is found. */
export function found(name: string, plant: (workflow: Workflow) => void): string[] {
  const workflow = parseWorkflow(texts.get(name) ?? '');
  plant(workflow);
  return workflowFaults(name, written(workflow), names);
}

/** All workflows, with a fault planted in those of the names. */
export function withPlanted(
  planted: readonly string[],
  plant: (workflow: Workflow) => void,
): Workflow[] {
  return [...texts.values()].map((text) => {
    const workflow = parseWorkflow(text);
    if (planted.includes(workflow.name)) plant(workflow);
    return workflow;
  });
}

/** As our files are written. */
function written(value: unknown): string {
  const order = (_key: string, each: unknown): unknown =>
    typeof each === 'object' && each !== null && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : each;
  return `${JSON.stringify(value, order, 2)}\n`;
}
