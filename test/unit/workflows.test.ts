import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { workflowFaults } from '../support/workflows/faults.ts';
import { found, names } from '../support/workflows/planted.ts';
import {
  nodeNamed,
  parseWorkflow,
  type Workflow,
  workflowTexts,
} from '../support/workflows/workflow.ts';

const texts = workflowTexts();

describe('the workflows', () => {
  it('are the six and the three adapters', () => {
    expect([...texts.keys()]).toEqual([
      '01_ingest',
      '02_dispatcher',
      '03_monitor',
      '11_bot_ingest',
      '12_bot_engine',
      '13_bot_monitor',
      'adapter_max_send',
      'adapter_telegram_send',
      'adapter_vk_send',
    ]);
  });

  it.each([...texts])('%s only orchestrates', (name, text) => {
    expect(workflowFaults(name, text, names)).toEqual([]);
  });

  it('have ids, ids of nodes, ids and addresses of webhooks of their own', () => {
    const nodes = [...texts.values()].flatMap((text) => parseWorkflow(text).nodes);
    const webhooks = nodes.flatMap(({ webhookId }) => webhookId ?? []);
    expect(names.size).toBe(texts.size);
    expect(new Set(nodes.map(({ id }) => id)).size).toBe(nodes.length);
    expect(new Set(webhooks).size).toBe(webhooks.length);
    const paths = nodes.flatMap(({ parameters }) => parameters['path'] ?? []);
    expect(new Set(paths).size).toBe(paths.length);
  });

  it('has adapters that differ in nothing but the platform', () => {
    const platformless = 'of any';
    const plain = (platform: string): unknown =>
      parseWorkflow(texts.get(`adapter_${platform}_send`) ?? '')
        .nodes.filter(({ type }) => !type.endsWith('stickyNote'))
        .map((each) => ({ ...each, id: platformless }));
    expect(plain('max')).toEqual(plain('telegram'));
    expect(plain('vk')).toEqual(plain('telegram'));
  });
});

describe('a planted fault is found', () => {
  it('a file without sorted keys', () => {
    const text = `${JSON.stringify(parseWorkflow(texts.get('13_bot_monitor') ?? ''), undefined, 2)}\n`;
    expect(workflowFaults('13_bot_monitor', text, names)).toContain(
      'is not written with sorted keys and two spaces',
    );
  });

  it.each([
    ['token', 'abc'],
    ['dbPassword', 'abc'],
    ['text', '123456:AAE9Vd2kq3Lw-x7PzR4tYb0NcHsJmUfGiQo'],
    ['value', 'f9LHodD0cOI2x8QeV1mKzB3tYn7RpWsUaGhJ'],
    ['value', 'vk1.a.Zr3kJ0sYq-9vXw2Qm41-aBcD'],
    ['header', 'Bearer 0123456789'],
    ['address', 'postgresql://n8n:secret@db/outrider'],
  ])('a secret in a node, as %s', (key, value) => {
    expect(
      found('13_bot_monitor', (workflow) => {
        nodeNamed(workflow, 'Every minute').parameters[key] = value;
      }),
    ).toContain('may hold a secret');
  });

  it.each(['wait', 'code', 'splitInBatches', 'merge', 'telegram'])(
    'a node of the type %s',
    (type) => {
      expect(
        found('12_bot_engine', (workflow) => {
          nodeNamed(workflow, 'Look for what is left').type = `n8n-nodes-base.${type}`;
        }),
      ).toContain(
        `"Look for what is left" is of the type ${type}, which does more than orchestrate`,
      );
    },
  );

  it.each(['Postgres', 'If1', 'HTTP Request 2.', ''])('a node that is called "%s"', (name) => {
    expect(
      found('adapter_vk_send', (workflow) => {
        nodeNamed(workflow, 'Write the entry for the commit').name = name;
      }),
    ).toContain(`"${name}" has a name that does not say what it does`);
  });

  it.each([
    ['select 1', 'calls 0 functions of outrider, not one'],
    [
      'select outrider.end_run($1, md5($2)::uuid), outrider.next_due_at()',
      'calls 2 functions of outrider, not one',
    ],
    [
      'select outrider.end_run($1, md5($2)::uuid); delete from outrider.leases',
      'is more than one select',
    ],
    ["select outrider.end_run('{{ $json.x }}', md5($2)::uuid)", 'has an expression in its text'],
    [
      'select outrider.end_run($1, md5($2)::uuid) from outrider.leases',
      'does more than a call: select f() from outrider.leases',
    ],
    [
      'select workspace_id from outrider.deliveries where outrider.end_run($1, md5($2)::uuid)',
      'does more than a call: select workspace_id from outrider.deliveries where f()',
    ],
    ['select outrider.end_run($1, $3)', 'gives 2 parameters to 2 places'],
    ["select outrider.end_run($1, '0')", 'gives 2 parameters to 1 places'],
  ])('the query %s', (query, fault) => {
    expect(
      found('02_dispatcher', (workflow) => {
        nodeNamed(workflow, 'Give the run back').parameters['query'] = query;
      }),
    ).toContain(`"Give the run back" ${fault}`);
  });

  it('parameters that are text with commas', () => {
    expect(
      found('02_dispatcher', (workflow) => {
        nodeNamed(workflow, 'Give the run back').parameters['options'] = {
          queryBatching: 'independently',
          queryReplacement: 'n8n,={{ $execution.id }}',
        };
      }),
    ).toContain('"Give the run back" does not give its parameters as an array');
  });

  it.each<[string, Workflow['nodes'][number]['credentials']]>([
    ['data in a credential', { postgres: { id: 'outriderPostgres', password: 'x' } }],
    ['a credential of another name', { postgres: { id: 'mine', name: 'Mine' } }],
    ['no credential', {}],
  ])('%s', (_, credentials) => {
    expect(
      found('02_dispatcher', (workflow) => {
        nodeNamed(workflow, 'Give the run back').credentials = credentials;
      }),
    ).toContain('"Give the run back" does not refer to the credential "Outrider: PostgreSQL"');
  });

  it('a webhook of an operator that anybody may call', () => {
    expect(
      found('02_dispatcher', (workflow) => {
        delete nodeNamed(workflow, 'Dispatch now').credentials;
      }),
    ).toContain('"Dispatch now" does not refer to the credential "Outrider: run now"');
  });

  it('a webhook without its id', () => {
    expect(
      found('02_dispatcher', (workflow) => {
        delete nodeNamed(workflow, 'Dispatch now').webhookId;
      }),
    ).toContain('"Dispatch now" has no webhookId');
  });

  it('a schedule without its twin', () => {
    expect(
      found('03_monitor', (workflow) => {
        workflow.nodes = workflow.nodes.filter(({ name }) => name !== 'Clean up now');
        delete workflow.connections['Clean up now'];
      }),
    ).toEqual(['"Every hour" has no webhook that leads to the same node']);
  });

  it('a workflow without a note', () => {
    expect(
      found('13_bot_monitor', (workflow) => {
        workflow.nodes = workflow.nodes.filter(({ type }) => !type.endsWith('stickyNote'));
      }),
    ).toEqual(['has no note that explains the flow']);
  });

  it('a node that is left over', () => {
    expect(
      found('13_bot_monitor', (workflow) => {
        delete workflow.connections['Find workspaces with alerts'];
      }),
    ).toEqual(['"Evaluate their alerts" is never reached']);
  });

  it('a call of another server, and one that ends the run', () => {
    expect(
      found('13_bot_monitor', (workflow) => {
        const request = nodeNamed(workflow, 'Tell them through the gateway');
        request.parameters['url'] = 'https://api.telegram.org';
        delete request.onError;
      }),
    ).toEqual([
      '"Tell them through the gateway" does not post to the gateway, and wait for a limited time',
      '"Tell them through the gateway" ends the run when it fails',
    ]);
  });

  it('a header of its own, which may be a secret', () => {
    expect(
      found('13_bot_monitor', (workflow) => {
        const { parameters } = nodeNamed(workflow, 'Tell them through the gateway');
        parameters['headerParameters'] = { parameters: [{ name: 'x-key', value: 'short' }] };
      }),
    ).toEqual([
      '"Tell them through the gateway" does not post to the gateway, and wait for a limited time',
    ]);
  });

  it('a sub-workflow that is none of ours', () => {
    expect(
      found('02_dispatcher', (workflow) => {
        nodeNamed(workflow, 'Send to VK').parameters['workflowId'] = {
          mode: 'id',
          value: 'another',
        };
      }),
    ).toContain('"Send to VK" calls no workflow of ours');
  });

  it('requests with secrets that n8n would keep', () => {
    expect(
      found('11_bot_ingest', (workflow) => {
        workflow.settings['saveDataErrorExecution'] = 'all';
      }),
    ).toEqual(['keeps requests that carry secrets']);
  });

  it('an enqueue that wakes nobody', () => {
    expect(
      found('12_bot_engine', (workflow) => {
        nodeNamed(workflow, 'Wake the senders').parameters['query'] =
          'select outrider.next_due_at()';
      }),
    ).toEqual(['"Do the turn" wakes nobody']);
  });
});

const Ruled = z.object({ rules: z.object({ values: z.array(z.unknown()) }) });

describe('a claim that is not ended is found', () => {
  const start = 'Claim up to 20 deliveries of each → Which platform?';

  it.each([
    ['Which platform?', 1, `${start}: output 1 leads nowhere`],
    ['Which platform?', 3, `${start}: output 3 leads nowhere`],
    ['Send to MAX', 1, `${start} → Send to MAX: output 1 leads nowhere`],
    [
      'Had the gateway room?',
      0,
      `${start} → Send to VK → Had the gateway room?: output 0 leads nowhere`,
    ],
    [
      'Had the gateway room?',
      1,
      `${start} → Send to VK → Had the gateway room?: output 1 leads nowhere`,
    ],
  ])('when "%s" has nothing behind output %i', (name, output, fault) => {
    expect(
      found('02_dispatcher', (workflow) => {
        workflow.connections[name]?.main.splice(output, 1, []);
      }),
    ).toContain(fault);
  });

  it('when a platform has no rule, and nothing takes what no rule does', () => {
    expect(
      found('02_dispatcher', (workflow) => {
        const { parameters } = nodeNamed(workflow, 'Which platform?');
        const { rules } = Ruled.parse(parameters);
        parameters['rules'] = { values: rules.values.slice(0, -1) };
        workflow.connections['Which platform?']?.main.pop();
      }),
    ).toEqual([`${start}: output 3 leads nowhere`]);
  });

  it('when the commit is done for one row of many', () => {
    const faults = found('02_dispatcher', (workflow) => {
      nodeNamed(workflow, 'Commit what became of it').executeOnce = true;
    });
    expect(faults).toContain(
      `${start} → Send to VK → Had the gateway room? → Commit what became of it: takes one row and drops the rest`,
    );
  });

  it('when a limit stands before the commit', () => {
    const faults = found('02_dispatcher', (workflow) => {
      const limit = nodeNamed(workflow, 'One item for each of them');
      limit.type = 'n8n-nodes-base.limit';
      limit.parameters = { maxItems: 1 };
    });
    expect(faults).toContain(
      `${start} → Send to VK → List what the adapter left open → One item for each of them: takes one row and drops the rest`,
    );
  });

  it.each([
    ['01_ingest', 'What did it bring?', 2],
    ['03_monitor', 'Did the gateway answer?', 1],
    ['12_bot_engine', 'Which platform?', 2],
    ['13_bot_monitor', 'Did the gateway answer?', 0],
  ])('in %s, when "%s" has nothing behind output %i', (name, branch, output) => {
    const faults = found(name, (workflow) => {
      workflow.connections[branch]?.main.splice(output, 1, []);
    });
    expect(faults.join('\n')).toContain(`${branch}: output ${output} leads nowhere`);
  });
});
