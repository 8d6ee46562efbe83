import { describe, expect, it } from 'vitest';
import { pictureFaults } from '../../src/cli/apply/picture-faults.ts';
import { loadOptional } from '../../src/optional-package.ts';

const missing = () =>
  loadOptional('comparing pictures', ['sharp'], () =>
    Promise.reject(
      Object.assign(new Error("Cannot find package 'sharp'"), { code: 'ERR_MODULE_NOT_FOUND' }),
    ),
  );

const channels = {
  news: { settings: { similar: { pictures: true } } },
  words: { settings: { similar: {} } },
};

describe('a channel that compares pictures', () => {
  it('is refused where the package that decodes them is missing, with what to run', async () => {
    const [fault, ...others] = await pictureFaults({ channels }, missing);
    expect(others).toEqual([]);
    expect(fault?.path).toEqual(['channels', 'news', 'settings', 'similar', 'pictures']);
    expect(fault?.message).toMatch(
      /^channels\.news\.settings\.similar\.pictures: comparing pictures needs sharp, and sharp is not installed; run npm/,
    );
  });

  it('is taken where the package is there, and where no picture is compared none is asked for', async () => {
    expect(await pictureFaults({ channels })).toEqual([]);
    expect(await pictureFaults({ channels: { words: channels.words } }, missing)).toEqual([]);
  });
});
