import { describe, expect, it } from 'vitest';
import type { ComposedPost } from '../../src/db/intake.ts';
import { placeIn, unitAtByte, unitBehind, unitInOriginal } from '../../src/preview/places.ts';
import { rejection, violationOf } from '../../src/preview/violations.ts';

describe('a place in a text', () => {
  it('has a line, a column and an excerpt, in characters', () => {
    expect(placeIn('one\n😀 two <p>', 11)).toEqual({
      offset: 10,
      line: 2,
      column: 7,
      excerpt: '😀 two <p>',
      excerptOffset: 6,
    });
  });

  it('shows thirty characters on each side of it, of its own line', () => {
    const text = `head\n${'a'.repeat(100)}X${'b'.repeat(100)}\ntail`;
    const { excerpt, excerptOffset } = placeIn(text, 105);
    expect(excerpt).toBe(`…${'a'.repeat(30)}X${'b'.repeat(29)}…`);
    expect(Array.from(excerpt)[excerptOffset]).toBe('X');
  });

  it('is found by a byte, and by a count of characters or units', () => {
    expect(unitAtByte('é😀a', 6)).toBe(3);
    expect(unitBehind('é😀a', 2, 'code_points')).toBe(3);
    expect(unitBehind('é😀a', 3, 'utf16')).toBe(3);
    expect(unitBehind('é😀a', 2, 'utf16')).toBe(1);
  });

  it('of a normalised text is found in the text as it came', () => {
    const original = '  Lost:\t a  dog\r\n\r\n\r\n<p>Bim</p>';
    const normal = 'Lost: a dog\n\n<p>Bim</p>';
    const at = unitInOriginal(original, normal, normal.indexOf('<p>'));
    expect(original.slice(at)).toBe('<p>Bim</p>');
  });

  it('is not claimed where the texts differ in more than white space', () => {
    const at = unitInOriginal('https://a.b/?utm_source=x <p>', 'https://a.b/ <p>', 13);
    expect(at).toBeUndefined();
  });
});

const composed: ComposedPost = {
  renderedText: '',
  renderMeta: {},
  templateVersion: null,
  fault: null,
  faultAt: null,
  countedText: null,
  length: null,
  lengthMax: 10,
  lengthUnit: 'code_points',
  countsMarkup: false,
  bytesMax: null,
  captionMax: 5,
};

describe('a violation', () => {
  it('is placed in the post as it was handed in', () => {
    const raw = { title: 'T', text: 'a\n\n\nb <p>' };
    const renderedText = '<b>T</b>\n\na\n\nb <p>';
    const fault =
      'the text is not valid HTML for Telegram: Unsupported start tag "p" at byte offset 15';
    const found = violationOf({ ...composed, renderedText, fault, faultAt: 15 }, raw, 'a\n\nb <p>');
    expect(found).toMatchObject({ path: 'text', in: 'post', place: { line: 4, column: 3 } });
  });

  it('is placed in the rendered text where a template made it', () => {
    const renderedText = 'Hi <p>: a';
    const fault =
      'the text is not valid HTML for Telegram: Unsupported start tag "p" at byte offset 3';
    const found = violationOf({ ...composed, renderedText, fault, faultAt: 3 }, { text: 'a' }, 'a');
    expect(found).toMatchObject({ path: null, in: 'rendered_text', place: { column: 4 } });
  });

  it('of a length is placed behind the last character that fits', () => {
    const renderedText = `${'😀'.repeat(10)}tail`;
    const post = { ...composed, renderedText, countedText: renderedText, length: 14 };
    const fault = 'the text has 14 characters, Telegram takes 10';
    const found = violationOf({ ...post, fault }, { text: renderedText }, renderedText);
    expect(found).toMatchObject({ in: 'post', place: { offset: 10, column: 11 } });
  });

  it('of a length is placed in what readers see where markup is not counted', () => {
    const post = { ...composed, renderedText: '<b>0123456789ab</b>', countedText: '0123456789ab' };
    const fault = 'the text has 12 characters, Telegram takes 10';
    const found = violationOf({ ...post, fault }, { text: post.renderedText }, post.renderedText);
    expect(found).toMatchObject({ in: 'post', path: 'text', place: { offset: 13 } });
    const spread = { ...post, renderedText: '<b>01234</b>56789ab' };
    const shown = violationOf({ ...spread, fault }, { text: spread.renderedText }, undefined);
    expect(shown).toMatchObject({
      in: 'shown_text',
      place: { offset: 10, excerpt: '0123456789ab' },
    });
  });

  it('of a caption is placed in that caption', () => {
    const raw = { media: [{}, { caption: 'too long' }] };
    const fault = 'the caption of media[1] has 8 characters, Telegram takes 5';
    expect(violationOf({ ...composed, fault }, raw, undefined)).toMatchObject({
      path: 'media[1].caption',
      place: { offset: 5 },
    });
  });

  it('names the medium or the button that is meant', () => {
    const media = { ...composed, fault: 'VK takes no video (media[2])' };
    const button = { ...composed, fault: 'buttons[1][0] leads to the host "a", and Telegram …' };
    expect(violationOf(media, {}, undefined)).toMatchObject({ path: 'media[2]', place: null });
    expect(violationOf(button, {}, undefined)).toMatchObject({ path: 'buttons[1][0]' });
  });

  it('of a post that cannot be taken in names its path, and the place behind the limit', () => {
    const text = 'a'.repeat(65_540);
    expect(rejection('text has 65540 characters; the limit is 65536', { text })).toMatchObject({
      path: 'text',
      place: { offset: 65_536 },
    });
    expect(rejection('media[0].type "x" is not one of image, video', {})).toMatchObject({
      path: 'media[0].type',
      place: null,
    });
    expect(rejection('a post needs a text, a title, a link or media', {})).toMatchObject({
      path: null,
    });
  });
});
