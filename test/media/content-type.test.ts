import { describe, expect, it } from 'vitest';
import { contentTypeOf } from '../../src/media/content-type.ts';

describe('the type of bytes', () => {
  it.each([
    ['text/html', '<!DOCTYPE html><html>'],
    ['text/html', '\r\n  <HTML lang="en">'],
    ['text/html', '\xef\xbb\xbf<!doctype html>'],
    ['text/html', '<!-- page --><html>'],
    ['image/svg+xml', '<svg xmlns="http://www.w3.org/2000/svg">'],
    ['image/svg+xml', '<!DOCTYPE svg PUBLIC'],
    ['application/xml', '<?xml version="1.0"?><svg>'],
    ['image/avif', '\0\0\0\x20ftypavif'],
    ['audio/mp4', '\0\0\0\x20ftypM4B '],
    ['audio/mpeg', '\xff\xf3\x90\x64'],
    ['audio/mpeg', '\xff\xfa\x90\x64'],
    ['audio/aac', '\xff\xf1\x50\x80'],
    ['application/octet-stream', 'a < b'],
    ['application/octet-stream', '{"error": "<html>"}'],
  ])('is told by the first of them: %s', (type, head) => {
    expect(contentTypeOf(Buffer.from(head, 'latin1'))).toBe(type);
  });
});
