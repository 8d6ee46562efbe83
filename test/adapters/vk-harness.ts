// VK for the conformance suite: a community, and the token of a user who administers it.

import type { Simulator } from '../../sandbox/simulator.ts';
import { createVk } from '../../sandbox/vk/vk.ts';
import { createVkAdapter } from '../../src/adapters/vk/adapter.ts';
import type { Harness } from './harness.ts';

export const admin = 1001;
export const community = 500;
export const wall = String(-community);
/** May post text on the community's own wall. VK refuses the kinds of the two tokens below it. */
export const communityToken = 'vk1.a.community/only+C0mmunityC0mmunityC0mmunity';
export const serviceToken = 'service/only+S3rviceS3rviceS3rvice';
export const vkIdToken = 'vk2.a.person/only+VkIdVkIdVkIdVkId';

export const vkHarness: Harness = {
  title: 'VK',
  createSimulator: createVk,
  createAdapter: (options) =>
    createVkAdapter({ ...options, uploadTimeoutMs: options.timeoutMs, pauseMs: 1 }),
  token: 'vk1.a.canary/of+the=suite-C4naryC4naryC4naryC4nary',
  account: `user Анна Орлова (${admin})`,
  wrongToken: 'vk1.a.nobody/knows+this=one-N0bodyN0bodyN0body',
  populate,
  methods: {
    sendText: 'wall.post',
    sendMedium: 'wall.post',
    sendAlbum: 'wall.post',
    upload: 'upload',
    editText: 'wall.edit',
    remove: 'wall.delete',
  },
  abilities: {
    formats: [],
    buttons: false,
    mediaByLink: false,
    countsAlbumItems: false,
    afterUnknown: 'once',
    waits: { told: false, untoldMs: 1000 },
    unknownFileId: `photo${admin}_457239999_0123456789abcdef01`,
  },
  falseAnswers: [
    '{"response":{}}',
    '{"response":{"post_id":"12"}}',
    '{"response":{"post_id":0}}',
    '{"response":{"post_id":-4}}',
    '{"response":{"post_id":1.5}}',
    '{"response":{"post_id":1e308}}',
    '{"response":{"post_id":9007199254740993}}',
    '{"response":[{"post_id":12}]}',
    '{"response":1}',
    '{"error":null}',
    '{"error":{}}',
    '{"error":{"error_code":"5","error_msg":"User authorization failed"}}',
    '{"error":{"error_code":1e99,"error_msg":"x"}}',
    '{"error":{"error_code":5,"error_msg":{"text":"x"}}}',
  ],
};

function populate(simulator: Simulator) {
  const order = (name: string, body: object) => simulator.control(name, body);
  order('users', { id: admin, first_name: 'Анна', last_name: 'Орлова' });
  order('communities', { id: community, admins: [admin] });
  order('tokens', { kind: 'user', token: vkHarness.token, user_id: admin });
  order('tokens', { kind: 'community', token: communityToken, group_id: community });
  order('tokens', { kind: 'service', token: serviceToken });
  order('tokens', { kind: 'vk_id', token: vkIdToken, user_id: admin });
  order('limits', { user_rps: null, community_rps: null, same_text: null });
  return { targetId: wall, unknownTargetId: '-999' };
}
