import { describeAdapter } from './conformance.ts';
import { telegramHarness } from './telegram-harness.ts';

describeAdapter(telegramHarness);
