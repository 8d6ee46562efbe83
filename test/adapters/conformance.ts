// The suite that every adapter passes, over real sockets. What the chat shows decides, not what the
// adapter says.

import { describe } from 'vitest';
import { describeChanges } from './conformance-changes.ts';
import { describeCredentials } from './conformance-credentials.ts';
import { describeHostility } from './conformance-hostility.ts';
import { describeInspection } from './conformance-inspection.ts';
import { describeMedia } from './conformance-media.ts';
import { describePace } from './conformance-pace.ts';
import { describeParts } from './conformance-parts.ts';
import { describeRefusals } from './conformance-refusals.ts';
import { describeText } from './conformance-text.ts';
import { describeWire } from './conformance-wire.ts';
import type { Harness } from './harness.ts';

export function describeAdapter(harness: Harness): void {
  describe(`the adapter of ${harness.title}`, () => {
    describeText(harness);
    describeMedia(harness);
    describeParts(harness);
    describePace(harness);
    describeChanges(harness);
    describeRefusals(harness);
    describeCredentials(harness);
    describeInspection(harness);
    describeWire(harness);
    describeHostility(harness);
  });
}
