import { describe, expect, it } from 'vitest';
import { namedByAddress, namedByHeader } from '../../src/media/file-name.ts';

const utf8 = (text: string) => Buffer.from(text).toString('latin1');

describe('a file name', () => {
  it.each([
    ['https://a.org/b/photo.jpg', 'photo.jpg'],
    ['https://a.org/photo.jpg?token=s3cret#top', 'photo.jpg'],
    ['https://a.org/%D1%91%D0%B6.png', 'ёж.png'],
    ['https://a.org/100%.png', '100%.png'],
    ['https://a.org/a%2F..%2Fetc%2Fpasswd', 'passwd'],
    ['https://a.org/a%5Cb.exe', 'b.exe'],
    ['https://a.org/.htaccess', 'htaccess'],
    ['https://a.org/a%00%0D%0A.png', 'a.png'],
    ['https://a.org/%E2%80%AEgnp.exe', 'gnp.exe'],
    ['https://a.org/a:b*c%3F.png', 'a_b_c_.png'],
    ['https://a.org/%20a%20.%20', 'a'],
    ['https://a.org/', undefined],
    ['https://a.org/b/', undefined],
    ['https://a.org/%2E%2E%2F...', undefined],
    ['no address', undefined],
  ])('comes from the last segment: %s', (url, name) => {
    expect(namedByAddress(url)).toBe(name);
  });

  it.each([
    ['attachment; filename="a b.jpg"', 'a b.jpg'],
    ['attachment; filename=a.jpg', 'a.jpg'],
    ['Attachment;FileName="a\\"b.jpg"', 'a_b.jpg'],
    [`inline; filename="${utf8('ёж.jpg')}"`, 'ёж.jpg'],
    ['inline; filename="caf\xe9.jpg"', 'café.jpg'],
    [`attachment; filename="e.jpg"; filename*=UTF-8''%D1%91%D0%B6.jpg`, 'ёж.jpg'],
    [`attachment; filename="e.jpg"; filename*=iso-8859-1''caf%E9.jpg`, 'e.jpg'],
    ['attachment; filename="../../etc/passwd"', 'passwd'],
    ['attachment; filename="..."', undefined],
    ['attachment', undefined],
    ['', undefined],
    [';;;', undefined],
    ['"', undefined],
  ])('comes from the header: %s', (header, name) => {
    expect(namedByHeader(header)).toBe(name);
  });

  it('has at most 255 characters, and keeps its extension', () => {
    expect(namedByAddress(`https://a.org/${'я'.repeat(300)}.jpeg`)).toBe(`${'я'.repeat(250)}.jpeg`);
    expect(namedByAddress(`https://a.org/${'a'.repeat(300)}`)).toBe('a'.repeat(255));
    expect(namedByAddress(`https://a.org/${'😀'.repeat(255)}`)).toBe('😀'.repeat(255));
  });
});
