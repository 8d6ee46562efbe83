// Channels that compare pictures need a package which decodes them. A file that asks for it is refused where the package
// is missing: otherwise nothing would say that no picture is ever compared.

import { OutriderError } from '../../errors.ts';
import { loadSharp } from '../../media/picture-hash.ts';
import type { Document } from './document.ts';
import type { Path } from './source.ts';

export interface PictureFault {
  readonly path: Path;
  readonly message: string;
}

export async function pictureFaults(
  { channels = {} }: Pick<Document, 'channels'>,
  load: () => Promise<unknown> = loadSharp,
): Promise<PictureFault[]> {
  const asking = Object.entries(channels).filter(
    ([, { settings }]) => settings?.similar?.pictures === true,
  );
  if (asking.length === 0) return [];
  const missing = await load().then(
    () => undefined,
    (error: unknown) => {
      if (error instanceof OutriderError) return error;
      throw error;
    },
  );
  if (missing === undefined) return [];
  return asking.map(([id]) => ({
    path: ['channels', id, 'settings', 'similar', 'pictures'],
    message: `channels.${id}.settings.similar.pictures: ${missing.message}; ${missing.hint ?? ''}`,
  }));
}
