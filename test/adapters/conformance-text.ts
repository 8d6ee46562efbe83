// Text, formats, buttons, link previews.

import { describe, expect, it } from 'vitest';
import type { Harness } from './harness.ts';
import { idsOf, useStage } from './stage.ts';
import { StoredBlob } from './stored-blob.ts';

export function describeText(harness: Harness): void {
  const { formats, buttons, asksForNoPreview } = harness.abilities;

  describe('sending text', () => {
    const stage = useStage(harness);

    it('shows the text, and answers with the id of the post', async () => {
      const outcome = await stage().send({ text: 'Пропал рыжий пёс' });
      expect(stage().shown()).toMatchObject([
        { ids: idsOf(outcome), text: 'Пропал рыжий пёс', media: [], buttons: [] },
      ]);
      expect(outcome).toMatchObject({
        ok: true,
        providerMessageId: stage().shown()[0]?.ids[0],
        partsDone: [{ item: 0, providerMessageId: stage().shown()[0]?.ids[0] }],
      });
    });

    it('shows plain text as it is, whatever it looks like', async () => {
      const text = 'a <b>b</b> & "c" *d* _e_ `f` \\ {g} [h](https://example.org) 🐕 &amp; #1 100%';
      idsOf(await stage().send({ text, format: 'None' }));
      expect(stage().texts()).toEqual([text]);
    });

    it('keeps lines, emoji and characters of other scripts', async () => {
      const text =
        'первая\n\nвторая 👨‍👩‍👧‍👦\n\u{1F3F4}\u{E0067}\u{E0062}\u{E007F} العربية 中文 + = % ; , /';
      idsOf(await stage().send({ text }));
      expect(stage().texts()).toEqual([text]);
    });

    it.each(formats)('shows $format as the platform formats it', async (sample) => {
      idsOf(await stage().send({ text: sample.text, format: sample.format }));
      expect(stage().shown()).toMatchObject([{ text: sample.read, html: sample.html }]);
    });

    it.each(formats)('shows $format in the text of a picture too', async (sample) => {
      const { text, format } = sample;
      idsOf(await stage().send({ text, format, media: [new StoredBlob('one').asMedium()] }));
      expect(stage().shown()).toMatchObject([{ text: sample.read, html: sample.html }]);
    });

    it('sends one call for one text', async () => {
      idsOf(await stage().send());
      expect(stage().calls.map((call) => call.method)).toEqual([harness.methods.sendText]);
    });
  });

  describe.runIf(buttons)('sending buttons', () => {
    const stage = useStage(harness);
    const rows = [
      [
        { text: 'Карта', url: 'https://example.org/map?x=1&y=2' },
        { text: 'Сайт', url: 'https://example.org/' },
      ],
      [{ text: 'Ещё', payload: 'more/ещё' }],
    ];

    it('shows them below the text, in their rows', async () => {
      idsOf(await stage().send({ buttons: rows }));
      expect(stage().shown()).toMatchObject([{ text: 'Пропал рыжий пёс', buttons: rows }]);
    });

    it('shows them below a picture', async () => {
      idsOf(await stage().send({ buttons: rows, media: [new StoredBlob('one').asMedium()] }));
      expect(stage().shown()).toMatchObject([{ media: [{}], buttons: rows }]);
    });

    it('shows none on a part that is to have none', async () => {
      idsOf(await stage().send({ buttons: rows, parts: [{ kind: 'text', buttons: false }] }));
      expect(stage().shown()).toMatchObject([{ buttons: [] }]);
    });
  });

  describe.runIf(asksForNoPreview !== undefined)('the preview of links', () => {
    const stage = useStage(harness);

    it.each([true, false])('is switched off: %s', async (disablePreview) => {
      idsOf(await stage().send({ text: 'https://example.org/', disablePreview }));
      const [call] = stage().calls;
      expect(call && asksForNoPreview?.(call.request)).toBe(disablePreview);
    });
  });
}
