// Asks MAX whose token it is.

import type { CredentialCheck } from '../adapter.ts';
import { judge } from './answers.ts';
import type { Api } from './api.ts';
import { meShape } from './messages.ts';

export async function checkToken(api: Api): Promise<CredentialCheck> {
  const me = judge(await api.call({ method: 'GET', path: '/me' }), 'read', meShape, api.now());
  if (!me.ok) return { ok: false, error: me.error };
  const { user_id: id, first_name: name } = me.value;
  return { ok: true, account: name ? `bot ${name} (${id})` : `bot ${id}` };
}
