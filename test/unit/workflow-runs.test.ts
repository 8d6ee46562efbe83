import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { scenesOfClaims, wrongEnds, wrongEndsIn } from '../support/workflows/claimed-rows.ts';
import { withPlanted } from '../support/workflows/planted.ts';
import { answersTo, requestNames } from '../support/workflows/requests.ts';
import { longSource } from '../support/workflows/source-scenes.ts';
import { nodeNamed, readWorkflows, type Workflow } from '../support/workflows/workflow.ts';

// The workflows are run, on a database and a gateway that are imitated: what becomes of each claimed row, and what a request
// is answered with. A fault that is planted shows.

const workflows = readWorkflows();

describe('every claimed row is ended once, as the gateway said', () => {
  it.each(scenesOfClaims)('%s', (scene) => {
    expect(wrongEnds(scene, workflows)).toEqual([]);
  });
});

describe('a request is answered once, when the database has spoken', () => {
  it.each(requestNames)('%s', (name) => {
    const { was, expected } = answersTo(name, workflows);
    expect(was).toEqual(expected);
  });
});

/** Replaces text in the parameters of a node. */
function rewrite(node: string, from: string, to: string): (workflow: Workflow) => void {
  return (workflow) => {
    const { parameters } = nodeNamed(workflow, node);
    const text = JSON.stringify(parameters);
    expect(text).toContain(from);
    Object.assign(parameters, JSON.parse(text.replaceAll(from, to)));
  };
}

/** Leads an output to another node, or nowhere. */
function lead(node: string, output: number, to?: string): (workflow: Workflow) => void {
  return ({ connections }) => {
    const { main } = (connections[node] ??= { main: [] });
    main[output] = to === undefined ? [] : [{ node: to, type: 'main', index: 0 }];
  };
}

function swapOutputs(node: string): (workflow: Workflow) => void {
  return ({ connections }) => {
    connections[node] = { main: (connections[node]?.main ?? []).toReversed() };
  };
}

/** Takes the last rule of a switch out. */
function dropRule(node: string): (workflow: Workflow) => void {
  return (workflow) => {
    const { parameters } = nodeNamed(workflow, node);
    const { values } = z.object({ values: z.array(z.unknown()) }).parse(parameters['rules']);
    parameters['rules'] = { values: values.slice(0, -1) };
  };
}

it('a source that has more chunks than a run reads is given back, and has not failed', () => {
  const fiveInARun = rewrite('Is it taken in?', ' 500', ' 5');
  const planted = withPlanted(['01_ingest'], fiveInARun);
  expect(wrongEndsIn(longSource(6), planted)).toEqual([]);
});

/** What shows in a scene or a request, also when it cannot be run. */
function shown(name: string, planted: Workflow[]): boolean {
  try {
    if (scenesOfClaims.includes(name)) return wrongEnds(name, planted).length > 0;
    const { was, expected } = answersTo(name, planted);
    return JSON.stringify(was) !== JSON.stringify(expected);
  } catch {
    return true;
  }
}

const adapters = ['adapter_max_send', 'adapter_telegram_send', 'adapter_vk_send'];
const sends = 'deliveries in 02_dispatcher';
const brokenVK = 'deliveries when the adapter of vk breaks off';
const answers = 'answers of bots in 12_bot_engine';
const brokenMAX = 'answers of bots when the adapter of max breaks off';
const alerts = 'messages in 03_monitor';
const sources = 'sources in 01_ingest';
const entry = 'Write the entry for the commit';
const call = 'Say what became of the call';
const nobody = 'Record that nobody was told';
const claimed = "$('Claim up to 20 deliveries of each').first().json.workspace_id";

type Plant = (workflow: Workflow) => void;

describe('a planted fault shows in a run', () => {
  it.each<[string, string, readonly string[], Plant]>([
    ['an entry for another row', sends, adapters, rewrite(entry, '.item.json', '.first().json')],
    ['room that is always there', sends, adapters, rewrite(entry, '!== 429', '!== 0')],
    ['a 5xx as a refusal', sends, adapters, rewrite(call, '=== 503 && ', '>= 500 || ')],
    ["a proxy's 503 as ours", sends, adapters, rewrite(call, ' && $json.body?.error?.code', '')],
    ['a reset as not reached', sends, adapters, rewrite(call, 'EAI_AGAIN', 'ECONNRESET')],
    ['a timeout as not reached', sends, adapters, rewrite(call, 'EAI_AGAIN', 'ECONNABORTED')],
    [
      'any 200 as an outcome',
      sends,
      adapters,
      rewrite(call, "typeof $json.body?.ok === 'boolean'", 'true'),
    ],
    ['a break as not sent', sends, adapters, rewrite(entry, "'unknown'", "'not_sent'")],
    [
      'a body of another row',
      sends,
      adapters,
      rewrite(
        'Send through the gateway',
        'stringify($json)',
        "stringify($('Take claimed rows').first().json)",
      ),
    ],
    ['room that is turned round', sends, ['02_dispatcher'], swapOutputs('Had the gateway room?')],
    [
      'a commit that says sent',
      sends,
      ['02_dispatcher'],
      rewrite('Commit what became of it', '$json.outcome', '{ ...$json.outcome, ok: true }'),
    ],
    [
      'a commit for another workspace',
      sends,
      ['02_dispatcher'],
      rewrite('Commit what became of it', '$json.workspace_id', claimed),
    ],
    [
      'what was sent is given back',
      sends,
      ['02_dispatcher'],
      lead('Send to VK', 0, 'Give back what was not sent'),
    ],
    [
      'a commit, and a release',
      sends,
      ['02_dispatcher'],
      lead('Commit what became of it', 0, 'Give back what was not sent'),
    ],
    [
      'a release under another token',
      sends,
      ['02_dispatcher'],
      rewrite('Give back what was not sent', '$json.claim_token', '$json.delivery_id'),
    ],
    [
      'a break is given back',
      brokenVK,
      ['02_dispatcher'],
      lead('Send to VK', 1, 'Give back what was not sent'),
    ],
    [
      'a break that is not sent',
      brokenVK,
      ['02_dispatcher'],
      rewrite('List what the adapter left open', "'unknown'", "'not_sent'"),
    ],
    [
      'a break of another platform',
      brokenVK,
      ['02_dispatcher'],
      rewrite('List what the adapter left open', "'Send to VK': 'vk'", "'Send to VK': 'max'"),
    ],
    [
      'rounds without an end',
      brokenVK,
      ['02_dispatcher'],
      rewrite('Another round?', '=== true', '!== undefined'),
    ],
    [
      'a break that is final',
      brokenVK,
      ['02_dispatcher'],
      rewrite('List what the adapter left open', "'TRANSIENT'", "'PERMANENT'"),
    ],
    ['a break of the channel', brokenVK, adapters, rewrite(entry, "'delivery'", "'channel'")],
    ['a break of our own making', brokenVK, adapters, rewrite(entry, "'outage'", "'sender'")],
    ['one round', brokenVK, ['02_dispatcher'], lead('Another round?', 0, 'Give the run back')],
    [
      'rounds although there is no room',
      sends,
      ['02_dispatcher'],
      rewrite('Another round?', "!$('Give back what was not sent').isExecuted", 'true'),
    ],
    [
      'a run that is not given back',
      brokenVK,
      ['02_dispatcher'],
      rewrite('Give the run back', 'n8n_dispatcher', 'n8n'),
    ],
    [
      'claims after the run',
      brokenVK,
      ['02_dispatcher'],
      lead('Give the run back', 0, 'Ask which workspaces are next'),
    ],
    [
      'a run that is not ours',
      'deliveries while another run goes on',
      ['02_dispatcher'],
      lead('Every two seconds', 0, 'Ask which workspaces are next'),
    ],
    [
      'a round before the last has ended',
      brokenMAX,
      ['12_bot_engine'],
      lead('Commit what became of it', 0, 'Begin a round'),
    ],
    [
      'a break of an answer that is not sent',
      brokenMAX,
      ['12_bot_engine'],
      rewrite('List what the adapter left open', "'unknown'", "'not_sent'"),
    ],
    ['turns that nobody does', answers, ['12_bot_engine'], lead('Find updates without a turn', 0)],
    ['one round of answers', answers, ['12_bot_engine'], lead('Another round?', 0)],
    [
      'answers that nobody recovers',
      'messages in 13_bot_monitor',
      ['13_bot_monitor'],
      ({ connections }) => {
        const recover = 'Recover answers that senders left';
        const [first = []] = connections['Look after the bots']?.main ?? [];
        connections['Look after the bots'] = {
          main: [first.filter(({ node }) => node !== recover)],
        };
      },
    ],
    [
      'any 200 as told',
      alerts,
      ['03_monitor'],
      rewrite('Did the gateway answer?', ' && $json.body?.notification_id !== undefined', ''),
    ],
    [
      'a post of another size',
      'a post that is accepted',
      ['01_ingest'],
      rewrite('Admit, judge and enqueue it', '$json.size_bytes', '0'),
    ],
    [
      'a refusal of another endpoint',
      'a post that should be signed',
      ['01_ingest'],
      rewrite('Record that it is signed', '$json.endpoint_id', '$json.workspace_id'),
    ],
    ['a schedule that leads nowhere', answers, ['12_bot_engine'], lead('Every five seconds', 0)],
    [
      'answers that are turned round',
      alerts,
      ['03_monitor'],
      swapOutputs('Did the gateway answer?'),
    ],
    [
      'nobody told, of another message',
      alerts,
      ['03_monitor'],
      rewrite(nobody, '.item.json', '.first().json'),
    ],
    [
      'nobody told, and not left to others',
      alerts,
      ['03_monitor'],
      rewrite(nobody, 'null, true', 'null, false'),
    ],
    [
      'alerts of one workspace',
      alerts,
      ['03_monitor'],
      rewrite('Evaluate their alerts', '$json.workspace_id', "'w1'"),
    ],
    [
      'leases that nobody recovers',
      alerts,
      ['03_monitor'],
      lead('Find workspaces with stale leases', 0),
    ],
    [
      'a purge of everything',
      'the upkeep of 03_monitor',
      ['03_monitor'],
      rewrite('Delete old events of the outbox', '30 days', '0 days'),
    ],
    ['a chunk for a failure', sources, ['01_ingest'], swapOutputs('What did it bring?')],
    [
      'the same chunk again',
      sources,
      ['01_ingest'],
      rewrite(
        'Go on from the new cursor',
        "$('Fetch a chunk of it').last().json.body.cursor_to",
        '$json.cursor',
      ),
    ],
    [
      'a source that is put off without a reason',
      sources,
      ['01_ingest'],
      lead('What did it bring?', 2, 'Put the source off'),
    ],
    [
      'a chunk that wakes nobody',
      sources,
      ['01_ingest'],
      lead('Is it taken in?', 0, 'Go on from the new cursor'),
    ],
    [
      'a request without an answer',
      'a post with the verdict unknown_endpoint',
      ['01_ingest'],
      lead('Which verdict?', 3),
    ],
    [
      'a request that no rule takes',
      'a post with the verdict unknown_endpoint',
      ['01_ingest'],
      rewrite(
        'Which verdict?',
        '"options":{"fallbackOutput":"extra","renameFallbackOutput":"refused"}',
        '"options":{}',
      ),
    ],
    [
      'a fault of the database that ends the run',
      'a post without a database',
      ['01_ingest'],
      (workflow) => {
        delete nodeNamed(workflow, 'Admit, judge and enqueue it').onError;
      },
    ],
    [
      'a claim whose failure ends the run',
      sends,
      ['02_dispatcher'],
      rewrite('Which platform?', '.channel?.', '.channel.'),
    ],
    ['a platform that no rule takes', sends, ['02_dispatcher'], dropRule('Which platform?')],
    [
      'a signature that nobody checks',
      'a post that should be signed',
      ['01_ingest'],
      lead('Which verdict?', 1, 'Drop it if it is a repeat'),
    ],
    [
      'a post without its copies',
      'a post with links',
      ['01_ingest'],
      rewrite(
        'Enqueue it with the copies',
        '$json.body.payload',
        "$('Read the request').first().json.post",
      ),
    ],
    [
      'an update that is lost and answered with 200',
      'an update that cannot be recorded',
      ['11_bot_ingest'],
      rewrite('Answer the platform', '503', '200'),
    ],
    [
      'a turn for another chat',
      'an update',
      ['12_bot_engine'],
      rewrite('Do the turn', '$json.chat_id', '$json.provider'),
    ],
    [
      'a header that is no secret',
      'an update',
      ['11_bot_ingest'],
      rewrite('Read the update of Telegram', 'x-telegram-bot-api-secret-token', 'user-agent'),
    ],
  ])('%s, in %s', (_, name, planted, plant) => {
    expect(shown(name, withPlanted(planted, plant))).toBe(true);
  });
});
