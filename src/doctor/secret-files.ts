// Secret references: whether what they name can be read, and whether others can read it, too.

import { stat } from 'node:fs/promises';
import type { Secrets } from '../secrets.ts';
import { critical, type Finding, warning } from './finding.ts';

/** `named` says which reference it is, `where` what it belongs to. */
export async function referenceFindings(
  secrets: Secrets,
  ref: string,
  named: string,
  where: string,
): Promise<Finding[]> {
  const read = await secrets.ofReference(ref, named);
  if (read.ok) return openFileFindings(ref, where);
  const says = `its secret cannot be read here: ${read.reason}`;
  return [
    critical(
      where,
      says,
      'set it in the environment of the process that needs it, and run this there',
    ),
  ];
}

/** Whether group or others may read the file that a reference names. */
export async function openFileFindings(ref: string, where: string): Promise<Finding[]> {
  const [, file] = /^file:(.+)$/s.exec(ref) ?? [];
  if (file === undefined || process.platform === 'win32') return [];
  const found = await stat(file).catch(() => undefined);
  if (found === undefined || (found.mode & 0o077) === 0) return [];
  const mode = (found.mode & 0o777).toString(8);
  const says = `${file} holds a secret, and its permissions (${mode}) let other users of this machine at it`;
  return [warning(where, says, `chmod 600 ${file}`)];
}
