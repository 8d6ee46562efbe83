// The parameters that a node of each type has in our workflows. What n8n offers beside them waits, repeats, drops rows, goes
// round, asks other servers or lets strangers in.

import { z } from 'zod';
import { typeOf, type WorkflowNode } from './workflow.ts';

const nothing = z.strictObject({});
const expression = z.string().startsWith('={{ ');

/** One condition: the expression is true. */
const IsTrue = z.strictObject({
  combinator: z.literal('and'),
  conditions: z.tuple([
    z.strictObject({
      id: z.uuid(),
      leftValue: expression,
      operator: z.strictObject({
        operation: z.literal('true'),
        singleValue: z.literal(true),
        type: z.literal('boolean'),
      }),
      rightValue: z.literal(''),
    }),
  ]),
  options: z.strictObject({
    caseSensitive: z.literal(true),
    leftValue: z.literal(''),
    typeValidation: z.literal('strict'),
    version: z.int(),
  }),
});

const toGateway = [
  "'/v1/alerts'",
  "'/v1/media/import'",
  "'/v1/pull/' + encodeURIComponent($json.source_id)",
  "($json.reply_id ? '/v1/bot/send' : '/v1/deliver')",
].map((route) => `={{ $env.OUTRIDER_GATEWAY_URL + ${route} }}`);

const ofWebhook = {
  httpMethod: z.literal('POST'),
  path: z.string().regex(/^outrider\/[a-z/]+$/),
  options: nothing,
};

const forms: Readonly<Record<string, z.ZodType>> = {
  crypto: z.strictObject({
    action: z.literal('hash'),
    dataPropertyName: z.literal('secret_hash'),
    encoding: z.literal('hex'),
    type: z.literal('SHA256'),
    value: z.literal('={{ $json.secret }}'),
  }),
  executeWorkflow: z.strictObject({
    mode: z.literal('once'),
    source: z.literal('database'),
    options: z.strictObject({ waitForSubWorkflow: z.boolean() }),
    workflowId: z.strictObject({
      __rl: z.literal(true),
      cachedResultName: z.string(),
      mode: z.literal('id'),
      value: z.string(),
    }),
    workflowInputs: z.looseObject({ value: nothing }),
  }),
  executeWorkflowTrigger: z.strictObject({ inputSource: z.literal('passthrough') }),
  // No headers and no query of its own: what a call carries beside its body comes from the credential.
  httpRequest: z.strictObject({
    method: z.literal('POST'),
    url: z.enum(toGateway),
    authentication: z.literal('genericCredentialType'),
    genericAuthType: z.literal('httpBearerAuth'),
    sendBody: z.literal(true),
    contentType: z.literal('json'),
    specifyBody: z.literal('json'),
    jsonBody: expression,
    options: z.strictObject({
      // Longer than the gateway takes: a minute for a message about alerts, the time of a send or of a fetch for the rest.
      timeout: z.literal([120_000, 600_000]),
      redirect: z.strictObject({ redirect: z.strictObject({ followRedirects: z.literal(false) }) }),
      response: z.strictObject({
        response: z.strictObject({
          fullResponse: z.literal(true),
          neverError: z.literal(true),
          responseFormat: z.literal('json'),
        }),
      }),
    }),
  }),
  if: z.strictObject({ conditions: IsTrue, options: nothing }),
  limit: z.strictObject({ maxItems: z.literal(1) }),
  noOp: nothing,
  respondToWebhook: z.strictObject({
    respondWith: z.literal('json'),
    responseBody: expression.refine((text) => !/\.(secret|secret_hash|headers)\b/.test(text)),
    options: z.strictObject({
      responseCode: z.union([z.int(), expression]),
      responseHeaders: z.unknown().optional(),
    }),
  }),
  scheduleTrigger: z.strictObject({
    rule: z.strictObject({
      interval: z.tuple([
        z.union([
          z.strictObject({ field: z.literal('seconds'), secondsInterval: z.int().min(1).max(30) }),
          z.strictObject({ field: z.literal('minutes'), minutesInterval: z.literal(1) }),
          z.strictObject({ field: z.literal('hours'), hoursInterval: z.literal(1) }),
        ]),
      ]),
    }),
  }),
  set: z.strictObject({ mode: z.literal('raw'), options: nothing, jsonOutput: expression }),
  splitOut: z.strictObject({ fieldToSplitOut: z.string(), options: nothing }),
  stickyNote: z.strictObject({
    color: z.int(),
    content: z.string().min(100),
    height: z.int(),
    width: z.int(),
  }),
  switch: z.strictObject({
    options: z.union([
      nothing,
      z.strictObject({ fallbackOutput: z.literal('extra'), renameFallbackOutput: z.string() }),
    ]),
    rules: z.strictObject({
      values: z.array(
        z.strictObject({
          conditions: IsTrue,
          outputKey: z.string(),
          renameOutput: z.literal(true),
        }),
      ),
    }),
  }),
  webhook: z.union([
    z.strictObject({
      ...ofWebhook,
      authentication: z.literal('headerAuth'),
      responseData: z.literal('allEntries'),
      responseMode: z.literal('lastNode'),
    }),
    z.strictObject({ ...ofWebhook, responseMode: z.literal('responseNode') }),
  ]),
};

/** In another version the same parameters mean something else. */
const versions: Readonly<Record<string, number>> = {
  crypto: 1,
  executeWorkflow: 1.2,
  executeWorkflowTrigger: 1.1,
  httpRequest: 4.2,
  if: 2.2,
  limit: 1,
  noOp: 1,
  postgres: 2.6,
  respondToWebhook: 1.4,
  scheduleTrigger: 1.2,
  set: 3.4,
  splitOut: 1,
  stickyNote: 1,
  switch: 3.2,
  webhook: 2.1,
};

/** What is wrong with the parameters of a node; queries are judged elsewhere. */
export function formFaults(node: WorkflowNode): string[] {
  const type = typeOf(node);
  if ((versions[type] ?? node.typeVersion) !== node.typeVersion) return ['is of another version'];
  if (forms[type]?.safeParse(node.parameters).success !== false) return [];
  if (type === 'httpRequest') return ['does not post to the gateway, and wait for a limited time'];
  if (type === 'stickyNote') return ['explains nothing'];
  return [`has parameters that no ${type} of ours has`];
}

/** How a node goes on that has failed. Where no type is named, its failure ends the run: what it was given would get lost. */
const goesOn: Readonly<Record<string, WorkflowNode['onError']>> = {
  executeWorkflow: 'continueErrorOutput',
  httpRequest: 'continueRegularOutput',
  postgres: 'continueRegularOutput',
};

/** What ends a claim. Anything else that is done again sends or claims twice. */
const mayRepeat = /\boutrider\.(commit_\w+|release_\w+)\(/;

/** A failure that drops rows, and a call that n8n makes again by itself. */
export function faultsOfFailing(node: WorkflowNode): string[] {
  const type = typeOf(node);
  const faults: string[] = [];
  if (node.onError !== undefined && node.onError !== goesOn[type]) {
    faults.push('drops what it fails on');
  }
  const repeats = node.retryOnFail === true;
  if (repeats && !(type === 'postgres' && mayRepeat.test(String(node.parameters['query'])))) {
    faults.push('makes a call again');
  }
  return faults;
}

/** Times, counts of attempts and chance: whoever needs them in an expression writes a rule of the queue. */
const ofQueue =
  /Date\.now|new Date\(\)|\$(now|today)\b|Math\.(random|pow)|\*\*|\b(attempt|not_before|lease_until)\b|\bretry_(after(_ms)?|at)\\?["']?:/;

/** n8n's environment has secrets of its own. */
const ofEnvironment = /\$env\b(?!\.OUTRIDER_GATEWAY_URL\b)|process\.env/;

/** An expression that decides what the database is there to decide, or that knows what it should not. */
export function ruleFaults(node: WorkflowNode): string[] {
  const expressions = JSON.stringify(node.parameters).match(/"=(?:[^"\\]|\\.)*"/g) ?? [];
  const faults: string[] = [];
  if (expressions.some((each) => ofQueue.test(each))) faults.push('has a rule of the queue');
  if (expressions.some((each) => ofEnvironment.test(each))) faults.push('reads the environment');
  return faults;
}
