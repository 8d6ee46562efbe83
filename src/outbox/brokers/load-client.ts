// The clients of the brokers are optional packages: whoever uses one broker needs not install the others.

import { OutriderError } from '../../errors.ts';

/** Loads a package when a broker is opened; `load` imports it. */
export async function loadClient<T>(
  broker: string,
  name: string,
  load: () => Promise<T>,
): Promise<T> {
  try {
    return await load();
  } catch (error) {
    const code: unknown = error instanceof Error ? Reflect.get(error, 'code') : undefined;
    if (code !== 'ERR_MODULE_NOT_FOUND' && code !== 'MODULE_NOT_FOUND') throw error;
    throw new OutriderError('configuration', `the ${broker} broker needs the package ${name}`, {
      hint: `install it: npm install ${name}`,
    });
  }
}
