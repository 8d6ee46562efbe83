import { describe, expect, it } from 'vitest';
import { found } from '../support/workflows/planted.ts';
import { nodeNamed, type Workflow } from '../support/workflows/workflow.ts';

// What n8n lets a node do beside what it is there for. Each is planted in a workflow, and found.

type Parameters = Record<string, unknown>;

/** The parameters of a node with one value changed, by its path. */
function change(workflow: Workflow, name: string, path: string, value: unknown): void {
  const keys = path.split('.');
  const last = keys.pop() ?? '';
  let at: object = nodeNamed(workflow, name).parameters;
  for (const key of keys) at = Object(Reflect.get(at, key));
  Reflect.set(at, last, value);
}

const tell = 'Tell them through the gateway';
const notToGateway = `"${tell}" does not post to the gateway, and wait for a limited time`;
const claim = 'Claim up to 20 deliveries of each';
const send = `${claim} → Which platform? → Send to VK: is no adapter that is waited for`;
const oddIf = '"Is there a message?" has parameters that no if of ours has';
const condition = 'conditions.conditions.0';

describe('a parameter that no node of ours has is found', () => {
  it.each<[string, string, string, string, unknown, string]>([
    [
      'redirects',
      '13_bot_monitor',
      tell,
      'options.redirect.redirect.followRedirects',
      true,
      notToGateway,
    ],
    [
      'thrown refusals',
      '13_bot_monitor',
      tell,
      'options.response.response.neverError',
      false,
      notToGateway,
    ],
    [
      'pauses',
      '13_bot_monitor',
      tell,
      'options.batching',
      { batch: { batchInterval: 9 } },
      notToGateway,
    ],
    ['a proxy', '13_bot_monitor', tell, 'options.proxy', 'http://proxy.example', notToGateway],
    [
      'a route',
      '13_bot_monitor',
      tell,
      'url',
      "={{ $env.OUTRIDER_GATEWAY_URL + '/v1/x' }}",
      notToGateway,
    ],
    [
      'a turned test',
      '13_bot_monitor',
      'Is there a message?',
      `${condition}.operator.operation`,
      'false',
      oddIf,
    ],
    [
      'a second test',
      '13_bot_monitor',
      'Is there a message?',
      'conditions.conditions.1',
      {},
      oddIf,
    ],
    [
      'every output that matches',
      '02_dispatcher',
      'Which platform?',
      'options.allMatchingOutputs',
      true,
      '"Which platform?" has parameters that no switch of ours has',
    ],
    [
      'a call for each row',
      '02_dispatcher',
      'Send to VK',
      'mode',
      'each',
      '"Send to VK" has parameters that no executeWorkflow of ours has',
    ],
    [
      'a send that nobody waits for',
      '02_dispatcher',
      'Send to VK',
      'options.waitForSubWorkflow',
      false,
      send,
    ],
    [
      'a name of another workflow',
      '02_dispatcher',
      'Send to VK',
      'workflowId.value',
      'outriderBotEngin',
      '"Send to VK" calls no workflow of ours',
    ],
    [
      'an open door',
      '02_dispatcher',
      'Dispatch now',
      'authentication',
      'none',
      '"Dispatch now" has parameters that no webhook of ours has',
    ],
    [
      'an empty note',
      '13_bot_monitor',
      'What this workflow does',
      'content',
      '',
      '"What this workflow does" explains nothing',
    ],
    [
      'attempts that are counted',
      '02_dispatcher',
      'Had the gateway room?',
      `${condition}.leftValue`,
      '={{ $json.has_room && $json.attempt < 3 }}',
      '"Had the gateway room?" has a rule of the queue',
    ],
    [
      'a time that is reckoned',
      'adapter_vk_send',
      'Write the entry for the commit',
      'jsonOutput',
      '={{ JSON.stringify({ retry_at: Date.now() + 1000 }) }}',
      '"Write the entry for the commit" has a rule of the queue',
    ],
    [
      'a secret within JSON',
      '12_bot_engine',
      'Say that no adapter sends it',
      'jsonOutput',
      '={{ JSON.stringify({"password":"hunter2"}) }}',
      'may hold a secret',
    ],
    [
      'a secret in a note',
      '12_bot_engine',
      'What this workflow does',
      'content',
      'password: hunter2',
      'may hold a secret',
    ],
    [
      'parameters that are joined and split',
      '02_dispatcher',
      'Give the run back',
      'options.queryReplacement',
      "={{ ['n8n', $execution.id].join().split(',').concat([])[[0]] }}",
      '"Give the run back" does not give its parameters as an array',
    ],
    [
      'a claim for a moment',
      '02_dispatcher',
      claim,
      'options.queryReplacement',
      "={{ [$json.workspace_id, 'n8n', 20, '1 second'] }}",
      `"${claim}" claims for another time than minutes`,
    ],
    ['a wait that is too short', '13_bot_monitor', tell, 'options.timeout', 1, notToGateway],
    [
      'a hash of something else',
      '11_bot_ingest',
      'Hash the secret',
      'value',
      '={{ $json.provider }}',
      '"Hash the secret" has parameters that no crypto of ours has',
    ],
    [
      'an answer with the secret',
      '01_ingest',
      'Answer with the verdicts',
      'responseBody',
      "={{ JSON.stringify($('Read the request').first().json.secret) }}",
      '"Answer with the verdicts" has parameters that no respondToWebhook of ours has',
    ],
    [
      "a secret of n8n's environment",
      '12_bot_engine',
      'Say that no adapter sends it',
      'jsonOutput',
      '={{ JSON.stringify($env) }}',
      '"Say that no adapter sends it" reads the environment',
    ],
    [
      'a schedule without a pause',
      '02_dispatcher',
      'Every two seconds',
      'rule.interval.0.secondsInterval',
      0,
      '"Every two seconds" has parameters that no scheduleTrigger of ours has',
    ],
    [
      'a claim for no time',
      '02_dispatcher',
      claim,
      'options.queryReplacement',
      "={{ [$json.workspace_id, 'n8n', 20, '0 minutes'] }}",
      `"${claim}" claims for another time than minutes`,
    ],
    [
      'a claim of many',
      '02_dispatcher',
      claim,
      'options.queryReplacement',
      "={{ [$json.workspace_id, 'n8n', 500, '2 minutes'] }}",
      `"${claim}" claims none, or more than 20`,
    ],
    [
      'a claim of none',
      '02_dispatcher',
      claim,
      'options.queryReplacement',
      "={{ [$json.workspace_id, 'n8n', 0, '2 minutes'] }}",
      `"${claim}" claims none, or more than 20`,
    ],
  ])('%s', (_, name, node, path, value, fault) => {
    expect(found(name, (workflow) => change(workflow, node, path, value))).toContain(fault);
  });

  it.each([
    ['(select 1)', '(select 1)'],
    ['length(pg_sleep(3)::text)', 'length(pg_sleep(3)::text)'],
    ['$2:raw', '$2:raw'],
    ["$2, p_now => '2100-01-01'", "p_now => '2100-01-01'"],
  ])('an argument %s', (argument, odd) => {
    const name = 'Ask which workspaces are next';
    const query = `select workspace_id from outrider.next_workspaces($1, ${argument})`;
    expect(found('02_dispatcher', (workflow) => change(workflow, name, 'query', query))).toContain(
      `"${name}" gives more than a value: ${odd}`,
    );
  });

  it.each<[string, Parameters]>([
    ['ends a run', { executionTimeout: 5 }],
    ['calls others', { errorWorkflow: 'another' }],
    ['keeps what passes through', { saveExecutionProgress: true }],
  ])('a setting that %s', (_, setting) => {
    const faults = found('02_dispatcher', ({ settings }) => Object.assign(settings, setting));
    expect(faults).toEqual(['has settings of its own']);
  });

  it('a version in which parameters mean something else', () => {
    const faults = found('02_dispatcher', (workflow) => {
      nodeNamed(workflow, 'Which platform?').typeVersion = 1;
    });
    expect(faults).toContain('"Which platform?" is of another version');
  });

  it('a way from a node that is not there', () => {
    const faults = found('02_dispatcher', ({ connections }) => {
      connections['Nobody'] = { main: [] };
    });
    expect(faults).toEqual(['leads from or to "Nobody", which is not there']);
  });

  it('a way back to a trigger', () => {
    const faults = found('02_dispatcher', ({ connections }) => {
      connections['Give the run back'] = {
        main: [[{ node: 'Every two seconds', type: 'main', index: 0 }]],
      };
    });
    expect(faults).toEqual(['leads back to "Every two seconds", which only begins']);
  });

  it.each(['HTTP Request', 'Split Out', 'Send to VK1'])('the name "%s"', (name) => {
    const faults = found('02_dispatcher', (workflow) => {
      nodeNamed(workflow, 'Send to VK').name = name;
    });
    expect(faults).toContain(`"${name}" has a name that does not say what it does`);
  });
});

describe('a row that is lost or goes twice is found', () => {
  const commit = 'Commit what became of it';

  it('when an output leads two ways', () => {
    const faults = found('02_dispatcher', ({ connections }) => {
      connections['Which platform?']?.main[0]?.push({
        node: 'Send to MAX',
        type: 'main',
        index: 0,
      });
    });
    expect(faults).toContain(`${claim} → Which platform?: output 0 leads two ways`);
  });

  it('when a sub-workflow that breaks ends the run', () => {
    const faults = found('02_dispatcher', (workflow) => {
      delete nodeNamed(workflow, 'Send to VK').onError;
    });
    expect(faults).toContain(send);
  });

  it.each([
    ['onError', `"${commit}" leaves the other rows open when it fails`],
    ['retryOnFail', `"${commit}" is tried once`],
  ] as const)('when a commit has no %s', (key, fault) => {
    const faults = found('02_dispatcher', (workflow) => {
      delete nodeNamed(workflow, commit)[key];
    });
    expect(faults).toEqual([fault]);
  });

  it('when a claim that fails for one workspace takes the rows of others with it', () => {
    const faults = found('02_dispatcher', (workflow) => {
      delete nodeNamed(workflow, claim).onError;
    });
    expect(faults).toEqual([`"${claim}" loses the rows of others when it fails`]);
  });

  it('when the gateway is asked again by itself', () => {
    const faults = found('13_bot_monitor', (workflow) => {
      nodeNamed(workflow, tell).retryOnFail = true;
    });
    expect(faults).toEqual([`"${tell}" makes a call again`]);
  });

  it.each([
    ['adapter_vk_send', 'Write the entry for the commit', 'continueRegularOutput'],
    ['adapter_vk_send', 'Write the entry for the commit', 'continueErrorOutput'],
    ['02_dispatcher', 'Which platform?', 'continueErrorOutput'],
    ['02_dispatcher', 'One item for each of them', 'continueRegularOutput'],
    ['12_bot_engine', 'Do the turn', 'continueErrorOutput'],
  ] as const)('when, in %s, "%s" goes on after a fault: %s', (name, node, onError) => {
    const faults = found(name, (workflow) => {
      nodeNamed(workflow, node).onError = onError;
    });
    expect(faults).toContain(`"${node}" drops what it fails on`);
  });

  it.each(['Send to VK', claim])('when "%s" is done again by itself', (node) => {
    const faults = found('02_dispatcher', (workflow) => {
      nodeNamed(workflow, node).retryOnFail = true;
    });
    expect(faults).toEqual([`"${node}" makes a call again`]);
  });

  it('when an adapter sends one row of many', () => {
    const faults = found('adapter_vk_send', (workflow) => {
      nodeNamed(workflow, 'Send through the gateway').executeOnce = true;
    });
    expect(faults).toEqual(['"Send through the gateway" may drop rows']);
  });
});

describe('an expression that reads what is not there is found', () => {
  it.each([
    ['Nobody', 'which is not there'],
    ['Answer why it is refused', 'which may not have run'],
    ['Claim a source that is due', 'which may not have run'],
  ])('%s', (other, why) => {
    const name = 'Answer with the verdicts';
    const responseBody = `={{ JSON.stringify($('${other}').first().json.enqueued) }}`;
    expect(
      found('01_ingest', (workflow) => change(workflow, name, 'responseBody', responseBody)),
    ).toEqual([`"${name}" reads "${other}", ${why}`]);
  });

  it('in a branch that is done later', () => {
    const faults = found('12_bot_engine', (workflow) => {
      nodeNamed(workflow, 'Another round?').position[1] = -9000;
    });
    expect(faults).toEqual([
      '"Another round?" reads "Claim answers that are due", which may not have run',
    ]);
  });
});

describe('a webhook for strangers', () => {
  it('that asks for no secret is found', () => {
    const faults = found('02_dispatcher', (workflow) => {
      const webhook = nodeNamed(workflow, 'Dispatch now');
      const { httpMethod, options, path } = webhook.parameters;
      webhook.parameters = { httpMethod, options, path, responseMode: 'responseNode' };
      delete webhook.credentials;
    });
    expect(faults).toEqual(['"Dispatch now" lets anybody in']);
  });

  it('that is answered before the update is on record is found', () => {
    const faults = found('11_bot_ingest', ({ connections }) => {
      const answer = { node: 'Answer why it is refused', type: 'main', index: 0 } as const;
      connections['MAX tells what people write']?.main[0]?.push(answer);
    });
    expect(faults).toEqual([
      '"MAX tells what people write" is answered before anything is on record',
    ]);
  });
});
