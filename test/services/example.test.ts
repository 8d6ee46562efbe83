import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { openEmptyDatabase } from '../support/database/test-database.ts';
import { compiledSources } from '../support/processes/compiled-sources.ts';
import { fromSources } from '../support/processes/from-sources.ts';

const example = fileURLToPath(new URL('../../examples/first-delivery.ts', import.meta.url));

it('the example of the README migrates an empty database, meets a rate limit and delivers', async () => {
  const database = await openEmptyDatabase();
  try {
    const { stdout, stderr } = await promisify(execFile)(process.execPath, fromSources(example), {
      env: { ...process.env, DATABASE_URL: database.url, ...compiledSources },
    });
    expect(stdout.replaceAll(/ at \d{4}-.*/g, ' at …').split('\n')).toEqual([
      'attempt 1: "Lost near the station: a ginger dog" to @lost_pets_city',
      '  retry at …',
      'attempt 2: "Lost near the station: a ginger dog" to @lost_pets_city',
      '  sent',
      '',
    ]);
    expect(stderr).toBe('');
  } finally {
    await database.drop();
  }
});
