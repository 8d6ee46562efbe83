// Whether what people write to a bot arrives.

import { maskText } from '../../masking.ts';
import { critical, type Finding, info, warning } from '../finding.ts';
import type { AskedWorkspace, DoctorCheck } from '../installation.ts';

type Endpoint = AskedWorkspace['more']['endpoints'][number];

export const botWebhooks: DoctorCheck = {
  name: 'bot_webhooks',
  area: 'bot',
  asks: 'does the platform know a webhook for every bot, and does it reach us',
  needs: 'workspace',
  look({ more, webhooks }) {
    return more.endpoints
      .filter(({ kind }) => kind === 'bot_webhook')
      .flatMap((endpoint) => findingsOf(endpoint, webhooks.get(endpoint.endpoint_id)));
  },
};

function findingsOf(
  { endpoint_id: id, auth_ref: authRef, platform }: Endpoint,
  found: ReturnType<AskedWorkspace['webhooks']['get']>,
): Finding[] {
  const where = `endpoint ${id}`;
  if (authRef === null) {
    const says = 'it hears what people write, and answers nothing: it names no credential';
    return [info(where, says, 'give it an auth_ref in the file, and outrider apply <file>')];
  }
  if (platform === null) {
    const fix = 'put it under credentials of the file, and outrider apply <file>';
    return [critical(where, `credential ${authRef} is not configured`, fix)];
  }
  if (found === undefined) return [];
  if (!found.ok) {
    const says = maskText(
      `the platform could not be asked for its webhooks: ${found.error.message}`,
    );
    return [warning(where, says, `outrider bot status ${authRef}`)];
  }
  const ours = found.webhooks.filter(({ url }) => url.endsWith(`/v1/bot/${platform}`));
  if (ours.length === 0) {
    const says = `${platform} knows no webhook of ours for ${authRef}: what people write does not arrive`;
    return [critical(where, says, `outrider bot subscribe ${authRef} --url https://… --secret …`)];
  }
  return ours.flatMap(({ url, notes }) =>
    notes
      .filter((note) => note.startsWith('last fault'))
      .map((note) =>
        warning(
          where,
          maskText(`${url}: ${note}`),
          'see that the address is reached from outside, and that the role bot runs there',
        ),
      ),
  );
}
