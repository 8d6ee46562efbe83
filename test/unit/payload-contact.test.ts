import { describe, expect, it } from 'vitest';
import { holdsContact } from '../../src/payloads/holds-contact.ts';
import { answerBytes, requestBytes } from '../../src/payloads/raw-message.ts';

describe('a raw payload is about a person', () => {
  it.each([
    ['+7 916 123-45-67', '{"text":"call 8 (916) 123 45 67"}'],
    ['89161234567', 'tel=%2B7%20916%201234567'],
    ['9161234567', '{"phone":79161234567}'],
    ['8 916 123 45 67', String.raw`{"text":"+7\u00a0916\u00a0123\u201145\u201167"}`],
    ['Ann.Lee@Example.com', '{"from":"ann.lee@example.com"}'],
    ['ann.lee@example.com', String.raw`ann\\.lee@example\\.com`],
    ['ann.lee@example.com', 'mail=Ann.Lee%40example.com'],
    ['@anna_k', 'https://t.me/Anna_K'],
    ['anna_k', String.raw`by @anna\_k`],
    ['＋７９１６１２３４５６７', '8 916 123-45-67'],
    ['+7 916 123-45-67', '＋７９１６１２３４５６７'],
    ['почта@пример.рф', 'почта@xn--e1afmkfd.xn--p1ai'],
    ['почта@xn--e1afmkfd.xn--p1ai', 'to=%D0%9F%D0%BE%D1%87%D1%82%D0%B0%40пример.рф'],
  ])('%s in %s', (contact, text) => {
    expect(holdsContact(Buffer.from(text), contact)).toBe(true);
  });

  it.each([
    ['+7 916 123-45-67', 'call +7 916 123-45-68'],
    ['ann@example.com', 'bob@example.com'],
    ['@anna_k', 'https://t.me/boris'],
  ])('not: %s in %s', (contact, text) => {
    expect(holdsContact(Buffer.from(text), contact)).toBe(false);
  });
});

describe('what is kept of a message', () => {
  it('is its head and its body, without the secret that it came with', () => {
    const rawHeaders = [
      'Authorization',
      'Bearer hunter22',
      'X-Outrider-Secret',
      'hunter22',
      'X-A',
      'b',
    ];
    const bytes = requestBytes({
      method: 'POST',
      path: '/v1/ingest',
      rawHeaders,
      body: Buffer.from([0x7b, 0xff]),
    });
    expect(bytes.toString('latin1')).toBe(
      'POST /v1/ingest HTTP/1.1\r\nAuthorization: (left out)\r\nX-Outrider-Secret: (left out)\r\nX-A: b\r\n\r\n{\u00ff',
    );
  });

  it('is 64 KiB of a long answer', () => {
    const body = 'x'.repeat(100_000);
    const headers = { 'content-type': 'text/html', 'set-cookie': 'a=b' };
    const bytes = answerBytes({ status: 502, headers, body }).toString();
    expect(bytes).toBe(
      `HTTP/1.1 502\r\ncontent-type: text/html\r\nset-cookie: (left out)\r\noutrider-cut-from: 100000\r\n\r\n${'x'.repeat(65_536)}`,
    );
  });
});
