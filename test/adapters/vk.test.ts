import { describeAdapter } from './conformance.ts';
import { vkHarness } from './vk-harness.ts';

describeAdapter(vkHarness);
