// The answer of an S3 server that lists objects (ListObjects, the version that every server has).

export interface ListedObject {
  readonly key: string;
  readonly sizeBytes: number;
  readonly modifiedAt: Date;
}

export interface ListPage {
  readonly objects: readonly ListedObject[];
  /** By the clock of the server. */
  readonly listedAt: Date;
  /** The last key: the next page goes on after it. Undefined: this page is the last. */
  readonly next: string | undefined;
}

/** Undefined when it is no list. */
export function readListPage(xml: string, listedAt: Date): ListPage | undefined {
  if (!/<ListBucketResult[\s>/]/.test(xml)) return undefined;
  const objects = [...xml.matchAll(/<Contents>([\s\S]*?)<\/Contents>/g)].map(([, of = '']) => ({
    key: textOf(of, 'Key') ?? '',
    sizeBytes: Number(textOf(of, 'Size')),
    modifiedAt: new Date(textOf(of, 'LastModified') ?? Number.NaN),
  }));
  const isTruncated = textOf(xml, 'IsTruncated') === 'true';
  return { objects, listedAt, next: isTruncated ? objects.at(-1)?.key : undefined };
}

function textOf(xml: string, name: string): string | undefined {
  const [, inner] = new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml) ?? [];
  return inner?.replaceAll(/&(#x?[0-9a-fA-F]+|\w+);/g, (whole, entity: string) => {
    if (!entity.startsWith('#')) return named[entity] ?? whole;
    const isHex = entity[1] === 'x';
    return String.fromCodePoint(Number.parseInt(entity.slice(isHex ? 2 : 1), isHex ? 16 : 10));
  });
}

const named: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
};
