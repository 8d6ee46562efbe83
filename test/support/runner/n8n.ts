// Installs n8n and brings the workflows in, once for all files of test/n8n.

import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { TestProject } from 'vitest/node';
import { ensureDatabase } from '../../../scripts/n8n/databases.ts';
import { installedN8n } from '../../../scripts/n8n/install.ts';
import { newKeys } from '../../../scripts/n8n/keys.ts';
import { importWorkflows } from '../../../scripts/n8n/n8n.ts';
import { runPrefix } from './run-folders.ts';
import { serverOf } from './set-up-server.ts';

export interface InstalledN8n {
  readonly program: string;
  /** A database of n8n with all workflows published. */
  readonly template: string;
  readonly encryptionKey: string;
}

declare module 'vitest' {
  export interface ProvidedContext {
    n8n: InstalledN8n;
  }
}

const template = 'n8n_template';
const server = serverOf('pg18');

export async function setup(project: TestProject): Promise<void> {
  const say = (line: string): void => void process.stderr.write(`${line}\n`);
  const program = await installedN8n(say);
  await server.setup(project);
  const { adminUrl } = project.getProvidedContext().postgres;
  const { encryptionKey } = newKeys();
  const folder = await mkdtemp(path.join(os.tmpdir(), runPrefix));
  try {
    const databaseUrl = await ensureDatabase(adminUrl, template);
    const place = { databaseUrl, folder, port: 0, brokerPort: 0, gatewayUrl: '', encryptionKey };
    await importWorkflows({ program, ...place });
  } catch (error) {
    await server.teardown();
    throw error;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  project.provide('n8n', { program, template, encryptionKey });
}

export const { teardown } = server;
