// Whether the extra certificates that the environment names can be read, and are still good.

import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { critical, type Finding } from '../finding.ts';
import type { DoctorCheck } from '../installation.ts';

export const authorities: DoctorCheck = {
  name: 'authorities',
  area: 'machine',
  asks: 'can the certificates of OUTRIDER_CA_FILE be read, and are they good today',
  needs: 'machine',
  async look({ config: { caFile }, now }) {
    if (caFile === undefined) return [];
    const where = 'variable OUTRIDER_CA_FILE';
    const pem = await readFile(caFile, 'utf8').catch(() => undefined);
    if (pem === undefined) {
      return [critical(where, `${caFile} cannot be read`, 'it names a file with PEM certificates')];
    }
    return certificatesIn(pem).flatMap((certificate): Finding[] => {
      const until = new Date(certificate.validTo);
      if (until.getTime() > now()) return [];
      const [subject = ''] = certificate.subject.split('\n').toReversed();
      const says = `the certificate ${subject} in ${caFile} was good until ${until.toISOString()}`;
      return [critical(where, says, 'get the new certificate of that authority')];
    });
  },
};

function certificatesIn(pem: string): X509Certificate[] {
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  return blocks.flatMap((block) => {
    try {
      return [new X509Certificate(block)];
    } catch {
      return [];
    }
  });
}
