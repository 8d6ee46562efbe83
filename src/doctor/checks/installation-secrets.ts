// Whether the secrets that the environment refers to can be read here, and only by us.

import { OutriderError } from '../../errors.ts';
import { readPayloadKeys } from '../../payloads/keys.ts';
import { critical } from '../finding.ts';
import type { DoctorCheck } from '../installation.ts';
import { openFileFindings, referenceFindings } from '../secret-files.ts';

export const installationSecrets: DoctorCheck = {
  name: 'installation_secrets',
  area: 'machine',
  asks: 'can the secrets of the environment (S3, gateway, webhooks of the outbox) be read here, and only by us',
  needs: 'machine',
  async look({ config, secrets }) {
    const refs = [
      ['OUTRIDER_S3_SECRET_KEY_REF', config.s3.secretKeyRef],
      ['OUTRIDER_GATEWAY_TOKEN_REF', config.gatewayTokenRef],
      ['OUTRIDER_OUTBOX_WEBHOOK_SECRET_REF', config.outbox.webhookSecretRef],
    ] as const;
    const found = await Promise.all(
      refs.map(async ([name, ref]) => {
        return ref === undefined ? [] : referenceFindings(secrets, ref, name, `variable ${name}`);
      }),
    );
    return found.flat();
  },
};

export const payloadKeys: DoctorCheck = {
  name: 'payload_keys',
  area: 'machine',
  asks: 'can the keys of raw payloads be read, if there are any',
  needs: 'machine',
  async look({ config: { payloadKeyRef: ref }, secrets }) {
    const where = 'variable OUTRIDER_PAYLOAD_KEY_REF';
    try {
      await readPayloadKeys(ref, secrets);
      return ref === undefined ? [] : await openFileFindings(ref, where);
    } catch (error) {
      if (!(error instanceof OutriderError)) throw error;
      return [
        critical(where, error.message, error.hint ?? 'docs/privacy.md says how to make keys'),
      ];
    }
  },
};
