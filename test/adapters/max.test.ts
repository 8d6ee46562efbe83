import { describeAdapter } from './conformance.ts';
import { maxHarness } from './max-harness.ts';

describeAdapter(maxHarness);
