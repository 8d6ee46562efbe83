import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  admin,
  startSeconds,
  startVk,
  stranger,
  type VkSandbox,
  wall,
} from '../support/sandbox/vk-sandbox.ts';

let vk: VkSandbox;

beforeEach(async () => {
  vk = await startVk();
});

afterEach(() => vk.close());

type Refusal = Awaited<ReturnType<VkSandbox['refusal']>>;
type Values = Readonly<Record<string, string | number>>;

const missing = 'One of the parameters specified was missing or invalid';
const adding = 'Access to adding post denied';
const onWall = { owner_id: wall, message: 'x' };
const message = { user_id: stranger, random_id: 1, message: 'x' };

const post = (values: Values = onWall, token = vk.tokens.admin) =>
  vk.refusal('wall.post', values, token);
const asStranger = (values: Values = onWall) => post(values, vk.tokens.stranger);
const planned = (date: number) => ({ ...onWall, publish_date: date });

/** Every refusal that a call can bring upon itself: code, words, and how. */
const rows: readonly (readonly [number, string, () => Promise<Refusal>])[] = [
  [3, 'Unknown method passed', () => vk.refusal('wall.unknown')],
  [7, 'Permission to perform this action is denied', blacklisted],
  [8, 'Invalid request: v (version) is required', () => vk.refusal('users.get', { v: '' })],
  [15, 'Access denied: wall is disabled', () => closed(readWall)],
  [15, 'Access denied: group is blocked', () => banned(wall, readWall)],
  [15, 'Access denied: this wall available only for community members', readMembersOnly],
  [17, 'Validation required', unvalidated],
  [18, 'User was deleted or banned', () => banned(stranger, readStranger)],
  [
    18,
    'User was deleted or banned',
    () => banned(stranger, () => post({ owner_id: stranger, message: 'x' })),
  ],
  [
    18,
    'User was deleted or banned',
    () => banned(stranger, () => vk.refusal('messages.send', message)),
  ],
  [30, 'This profile is private', readPrivate],
  [
    33,
    'Not implemented yet: this sandbox does not simulate wall.pin',
    () => vk.refusal('wall.pin'),
  ],
  [100, `${missing}: message is undefined`, () => post({ owner_id: wall })],
  [100, `${missing}: message is undefined`, () => post({ owner_id: wall, message: '  ' })],
  [100, `${missing}: message is too long`, () => post({ ...onWall, message: 'ы'.repeat(15_001) })],
  [100, `${missing}: owner_id not integer`, () => post({ ...onWall, owner_id: 'club1' })],
  [100, `${missing}: owner_id is incorrect`, () => post({ ...onWall, owner_id: -999 })],
  [100, `${missing}: post_id is undefined`, () => vk.refusal('wall.edit', onWall)],
  [100, `${missing}: post_id is undefined`, () => vk.refusal('wall.delete', { owner_id: wall })],
  [100, `${missing}: invalid message param`, editWithNothing],
  [100, `${missing}: owner_id is undefined`, () => vk.refusal('wall.get', {}, vk.tokens.service)],
  [100, `${missing}: owner_id is incorrect`, () => vk.refusal('wall.get', { owner_id: -999 })],
  [100, `${missing}: domain is incorrect`, () => vk.refusal('wall.get', { domain: 'nobody' })],
  [100, `${missing}: filter is incorrect`, () => vk.refusal('wall.get', { filter: 'best' })],
  [100, `${missing}: offset should be positive`, () => vk.refusal('wall.get', { offset: -1 })],
  [100, `${missing}: random_id is undefined`, () => send({ random_id: '' })],
  [100, `${missing}: message is empty or invalid`, () => send({ message: '' })],
  [100, `${missing}: user_id is undefined`, () => send({ user_id: '' })],
  [100, `${missing}: peer_id is incorrect`, () => send({ peer_id: 99 })],
  [104, 'Not found', () => vk.refusal('wall.delete', { owner_id: wall, post_id: 99 })],
  [104, 'Not found', () => vk.refusal('wall.edit', { ...onWall, post_id: 99 })],
  [113, 'Invalid user id', () => vk.refusal('users.get', { user_ids: 'nobody,77' })],
  [125, 'Invalid group id', () => vk.refusal('groups.getById', { group_id: 999 })],
  [125, 'Invalid group id', () => vk.refusal('photos.getWallUploadServer', { group_id: 999 })],
  [150, 'Invalid timestamp', () => post(planned(startSeconds))],
  [200, 'Access denied', uploadForStrangers],
  [203, 'Access to group denied', () => banned(wall, () => post())],
  [203, 'Access to group denied', () => banned(wall, () => uploadServer(vk.tokens.admin))],
  [210, "Access to wall's post denied", deleteOfOthers],
  [210, "Access to wall's post denied", editOfOthers],
  [214, `${adding}: access to the wall is closed`, () => closed(() => post())],
  [214, `${adding}: access to the wall is closed`, () => asStranger()],
  [214, `${adding}: access to the wall is closed`, fromGroupOfOthers],
  [
    214,
    `${adding}: access to the wall is closed`,
    () => asStranger({ owner_id: admin, message: 'x' }),
  ],
  [214, `${adding}: a post is already scheduled for this time`, sameMinute],
  [
    214,
    `${adding}: cannot postpone the post for more than a year`,
    () => post(planned(startSeconds + 400 * 86_400)),
  ],
  [222, 'Hyperlinks are forbidden', () => withoutLinks({ message: 'Смотри https://example.com' })],
  [222, 'Hyperlinks are forbidden', () => withoutLinks({ message: 'Смотри example.com' })],
  [222, 'Hyperlinks are forbidden', () => withoutLinks({ attachments: 'https://example.com' })],
  [225, 'Donut is disabled', () => post({ ...onWall, donut_paid_duration: 0 })],
  [703, 'You need to enable 2FA for this action', deleteWithout2fa],
  [900, "Can't send messages for users from blacklist", () => unwantedMessage()],
  [901, "Can't send messages for users without permission", messageWithoutPermission],
  [901, "Can't send messages for users without permission", uploadWithoutMessages],
  [902, "Can't send messages to this user due to their privacy settings", privateMessage],
  [914, 'Message is too long', () => send({ message: 'x'.repeat(4097) })],
];

describe('a call brings upon itself', () => {
  it.each(rows)('%i %s (%#)', async (code, words, provoke) => {
    const error = await provoke();
    expect([error.error_code, error.error_msg]).toEqual([code, words]);
  });

  it('no harm when it is refused', async () => {
    await post({ owner_id: wall });
    await closed(() => post());
    expect(vk.texts()).toEqual([]);
  });
});

describe('a scripted failure speaks in the words of VK:', () => {
  it.each([
    [1, 'Unknown error occurred'],
    [2, 'Application is disabled. Enable your application or use test mode'],
    [4, 'Incorrect signature'],
    [10, 'Internal server error'],
    [19, 'Content blocked'],
    [20, 'Permission to perform this action is denied for non-standalone applications'],
    [22, 'Upload error'],
    [23, 'This method was disabled'],
    [24, 'Confirmation required'],
    [36, 'Method execution was interrupted due to timeout'],
    [37, 'User was banned'],
    [40, 'Unknown group'],
    [42, 'IP is not allowed'],
    [101, 'Invalid application API ID'],
    [103, 'Out of limits'],
    [122, 'Invalid photos'],
    [211, "Access to wall's comment denied"],
    [212, 'Access to post comments denied'],
    [213, 'Access to status replies denied'],
    [220, 'Too many recipients'],
    [223, 'Too many replies'],
    [300, 'This album is full'],
    [1116, 'Anonymous token is invalid'],
    [3300, 'Recaptcha needed'],
    [3301, 'Phone validation needed'],
    [3302, 'Password validation needed'],
    [3303, 'Otp app validation needed'],
    [3304, 'Email confirmation needed'],
    [3305, 'Assert votes'],
    [3609, 'Token extension required'],
    [3610, 'User is deactivated'],
  ])('%i %s', async (code, words) => {
    vk.control('fail', { code, method: 'wall.post' });
    await vk.call('users.get');
    const error = await post();
    expect([error.error_code, error.error_msg]).toEqual([code, words]);
    expect(vk.texts()).toEqual([]);
    await vk.post();
    expect(vk.texts()).toHaveLength(1);
  });

  it('with a detail, a subcode, fields of its own, and as often as told', async () => {
    const extra = { confirmation_text: 'Sure?' };
    vk.control('fail', { code: 24, detail: 'ask', subcode: 7, extra, times: 2 });
    const expected = {
      error_code: 24,
      error_msg: 'Confirmation required: ask',
      error_subcode: 7,
      confirmation_text: 'Sure?',
    };
    expect(await post()).toMatchObject(expected);
    expect(await post()).toMatchObject(expected);
    await vk.post();
  });

  it('but only with a code that VK has', () => {
    expect(() => vk.control('fail', { code: 999_999 })).toThrow('no such error code');
  });
});

function readWall(): Promise<Refusal> {
  return vk.refusal('wall.get', { owner_id: wall });
}

function readStranger(): Promise<Refusal> {
  return vk.refusal('wall.get', { owner_id: stranger });
}

function send(values: Values, token = vk.tokens.admin): Promise<Refusal> {
  return vk.refusal('messages.send', { ...message, ...values }, token);
}

function uploadServer(token: string): Promise<Refusal> {
  return vk.refusal('photos.getWallUploadServer', { group_id: -wall }, token);
}

function closed(work: () => Promise<Refusal>): Promise<Refusal> {
  vk.control('wall', { owner_id: wall, wall: 'closed' });
  return work();
}

function banned(owner: number, work: () => Promise<Refusal>): Promise<Refusal> {
  vk.control('ban', { owner_id: owner });
  return work();
}

function blacklisted(): Promise<Refusal> {
  vk.control('wall', { owner_id: wall, wall: 'open' });
  vk.control('ban', { owner_id: stranger, by: wall });
  return asStranger();
}

function readMembersOnly(): Promise<Refusal> {
  vk.control('communities', { id: 600, members_only: true });
  return vk.refusal('wall.get', { owner_id: -600 });
}

async function unvalidated(): Promise<Refusal> {
  vk.control('validation', { token: vk.tokens.admin });
  const error = await post();
  expect(error).toMatchObject({ redirect_uri: expect.stringContaining('/security_check') });
  vk.control('validation', { token: vk.tokens.admin, needed: false });
  await vk.post();
  return error;
}

function readPrivate(): Promise<Refusal> {
  vk.control('users', { id: 3000, private: true });
  return vk.refusal('wall.get', { owner_id: 3000 });
}

async function editWithNothing(): Promise<Refusal> {
  return vk.refusal('wall.edit', { owner_id: wall, post_id: await vk.post() });
}

function uploadForStrangers(): Promise<Refusal> {
  return uploadServer(vk.tokens.stranger);
}

async function deleteOfOthers(): Promise<Refusal> {
  const values = { owner_id: wall, post_id: await vk.post() };
  return vk.refusal('wall.delete', values, vk.tokens.stranger);
}

async function editOfOthers(): Promise<Refusal> {
  const values = { ...onWall, post_id: await vk.post() };
  return vk.refusal('wall.edit', values, vk.tokens.stranger);
}

function fromGroupOfOthers(): Promise<Refusal> {
  vk.control('wall', { owner_id: wall, wall: 'open' });
  return asStranger({ ...onWall, from_group: 1 });
}

async function sameMinute(): Promise<Refusal> {
  const minute = startSeconds + 3600;
  await vk.post(planned(minute));
  await vk.post(planned(minute + 60));
  return post(planned(minute + 59));
}

function withoutLinks(values: Values): Promise<Refusal> {
  vk.control('wall', { owner_id: wall, links_forbidden: true });
  return post({ ...onWall, ...values });
}

async function deleteWithout2fa(): Promise<Refusal> {
  vk.control('communities', { id: 700, admins: [admin], need_2fa: true });
  await vk.call('wall.post', { owner_id: -700, message: 'x' });
  return vk.refusal('wall.delete', { owner_id: -700, post_id: 1 });
}

function unwantedMessage(): Promise<Refusal> {
  vk.control('ban', { owner_id: wall, by: stranger });
  return send({}, vk.tokens.community);
}

function messageWithoutPermission(): Promise<Refusal> {
  vk.control('users', { id: 3000, allows_messages_from: [1] });
  return send({ user_id: 3000 }, vk.tokens.community);
}

function uploadWithoutMessages(): Promise<Refusal> {
  vk.control('communities', { id: 800, messages: false });
  vk.control('tokens', { kind: 'community', token: 'mute', group_id: 800 });
  return vk.refusal('photos.getMessagesUploadServer', {}, 'mute');
}

function privateMessage(): Promise<Refusal> {
  vk.control('users', { id: 3000, message_privacy: true });
  return send({ user_id: 3000 });
}
