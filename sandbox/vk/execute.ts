// execute: several calls in one. A call that fails is `false` in the answer, and its error is in `execute_errors`.

import { Refusal } from './errors.ts';
import { type Expression, parseScript } from './script.ts';
import type { Call } from './world.ts';

const callsMost = 25;

interface ExecuteError {
  readonly method: string;
  readonly error_code: number;
  readonly error_msg: string;
}

/** An answer that has more than its response. */
export class Executed {
  readonly response: unknown;
  readonly errors: readonly ExecuteError[];

  constructor(response: unknown, errors: readonly ExecuteError[]) {
    this.response = response;
    this.errors = errors;
  }
}

export function execute(call: Call): Executed {
  const script = parseScript(call.parameters.neededText('code'));
  if (script === undefined) {
    throw new Refusal(
      12,
      'not simulated in this sandbox; it runs `return` with API calls, lists, objects and plain values',
    );
  }
  const errors: ExecuteError[] = [];
  let calls = 0;

  function run(method: string, values: unknown): unknown {
    calls += 1;
    // The words are assumed.
    if (calls > callsMost) throw new Refusal(13, 'Too many API calls');
    try {
      return call.also(method, values);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      errors.push({ method, error_code: error.code, error_msg: error.message });
      return false;
    }
  }

  return new Executed(evaluate(script, run), errors);
}

function evaluate(script: Expression, run: (method: string, values: unknown) => unknown): unknown {
  if (script.kind === 'value') return script.value;
  if (script.kind === 'list') return script.items.map((item) => evaluate(item, run));
  if (script.kind === 'call') {
    return run(script.method, script.argument && evaluate(script.argument, run));
  }
  const fields = script.fields.map(([name, value]) => [name, evaluate(value, run)] as const);
  return Object.fromEntries(fields);
}
