import sharp, { type Sharp } from 'sharp';
import { describe, expect, it } from 'vitest';
import { isPicture, pictureHashOf } from '../../src/media/picture-hash.ts';
import { randomFrom } from '../support/random-numbers.ts';

async function* bytesOf(...pieces: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* pieces;
}

/** Blots of grey, as unlike one another as photos are. */
async function photo(seed: number, width = 640, height = 480): Promise<Sharp> {
  const random = randomFrom(seed);
  const grain = Buffer.from(Array.from({ length: 12 * 9 }, () => Math.floor(random() * 256)));
  const blots = await sharp(grain, { raw: { width: 12, height: 9, channels: 1 } })
    .resize(width, height, { kernel: 'cubic' })
    .toColourspace('srgb')
    .png()
    .toBuffer();
  return sharp(blots);
}

const hash = async (image: Sharp) => pictureHashOf(bytesOf(await image.toBuffer()));

function apart(one: string | undefined, other: string | undefined): number {
  let bits = BigInt(`0x${one}`) ^ BigInt(`0x${other}`);
  let count = 0;
  for (; bits > 0n; bits >>= 1n) count += Number(bits & 1n);
  return count;
}

describe('the hash of a picture', () => {
  it.each([
    ['saved as a bad JPEG', (image: Sharp) => image.jpeg({ quality: 40 })],
    ['saved as a small JPEG', (image: Sharp) => image.resize(200).jpeg()],
    ['made smaller', (image: Sharp) => image.resize(200).webp()],
    ['made larger', (image: Sharp) => image.resize(1600).png()],
    [
      'stored on its side',
      (image: Sharp) => image.rotate(90).withMetadata({ orientation: 8 }).jpeg(),
    ],
  ])('differs in three bits at most when it was %s', async (_, change) => {
    const changed: number[] = [];
    for (let seed = 1; seed <= 12; seed += 1) {
      const image = await photo(seed);
      changed.push(apart(await hash(image.clone().png()), await hash(change(image.clone()))));
    }
    expect(changed.filter((bits) => bits > 3)).toEqual([]);
  });

  it('differs in many bits for another picture', async () => {
    const hashes = await Promise.all(
      Array.from({ length: 12 }, async (_, n) => hash((await photo(n + 1)).png())),
    );
    for (const [n, one] of hashes.entries()) {
      for (const other of hashes.slice(n + 1)) expect(apart(one, other)).toBeGreaterThan(6);
    }
  });

  it.each([
    ['no picture', Buffer.from('<html>')],
    ['nothing', Buffer.alloc(0)],
    ['half a picture', Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')],
  ])('is not there for %s', async (_, bytes) => {
    expect(await pictureHashOf(bytesOf(bytes))).toBeUndefined();
  });

  it('is not there for a picture that is cut off', async () => {
    const whole = await (await photo(1)).jpeg().toBuffer();
    expect(await pictureHashOf(bytesOf(whole.subarray(0, whole.length / 2)))).toBeUndefined();
  });

  it('is not there for a small file with too many pixels', async () => {
    const bomb = await sharp({
      create: { width: 9000, height: 9000, channels: 3, background: 'white' },
      limitInputPixels: false,
    })
      .png()
      .toBuffer();
    expect(bomb.length).toBeLessThan(1_000_000);
    expect(await pictureHashOf(bytesOf(bomb))).toBeUndefined();
  });

  it('is not asked for of a large file, nor of one that may hold a program', () => {
    expect(isPicture({ contentType: 'image/jpeg', sizeBytes: 1000 })).toBe(true);
    expect(isPicture({ contentType: 'image/jpeg', sizeBytes: 21 * 1024 * 1024 })).toBe(false);
    expect(isPicture({ contentType: 'image/svg+xml', sizeBytes: 1000 })).toBe(false);
    expect(isPicture({ contentType: 'video/mp4', sizeBytes: 1000 })).toBe(false);
  });
});
