// Every method that the simulator knows, and which kind of token may call it.

import type { TokenKind } from './accounts.ts';
import { getAppPermissions, getCommunities, getServerTime, getUsers } from './directory-methods.ts';
import { execute } from './execute.ts';
import { sendMessage } from './message-methods.ts';
import {
  getMessagesUploadServer,
  getWallUploadServer,
  saveMessagesPhoto,
  saveWallPhoto,
} from './photo-methods.ts';
import { edit, remove } from './wall-change.ts';
import { post } from './wall-post.ts';
import { get, getById } from './wall-read.ts';
import type { Call } from './world.ts';

export interface Method {
  readonly kinds: readonly TokenKind[];
  /** The right that the token must have. */
  readonly scope?: string;
  run(call: Call): unknown;
}

const everybody: readonly TokenKind[] = ['user', 'community', 'service', 'vk_id'];

export const methods: ReadonlyMap<string, Method> = new Map<string, Method>([
  ['wall.post', { kinds: ['user', 'community'], scope: 'wall', run: post }],
  ['wall.edit', { kinds: ['user'], scope: 'wall', run: edit }],
  ['wall.delete', { kinds: ['user'], scope: 'wall', run: remove }],
  ['wall.get', { kinds: ['user', 'service'], run: get }],
  ['wall.getById', { kinds: ['user', 'service'], run: getById }],
  ['photos.getWallUploadServer', { kinds: ['user'], scope: 'photos', run: getWallUploadServer }],
  ['photos.saveWallPhoto', { kinds: ['user'], scope: 'photos', run: saveWallPhoto }],
  [
    'photos.getMessagesUploadServer',
    { kinds: ['user', 'community'], scope: 'photos', run: getMessagesUploadServer },
  ],
  [
    'photos.saveMessagesPhoto',
    { kinds: ['user', 'community'], scope: 'photos', run: saveMessagesPhoto },
  ],
  ['messages.send', { kinds: ['user', 'community'], scope: 'messages', run: sendMessage }],
  ['execute', { kinds: everybody, run: execute }],
  ['account.getAppPermissions', { kinds: ['user'], run: getAppPermissions }],
  ['users.get', { kinds: everybody, run: getUsers }],
  ['groups.getById', { kinds: everybody, run: getCommunities }],
  ['utils.getServerTime', { kinds: everybody, run: getServerTime }],
]);
