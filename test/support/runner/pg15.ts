import { serverOf } from './set-up-server.ts';

export const { setup, teardown } = serverOf('pg15');
