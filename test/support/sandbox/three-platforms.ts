// The platforms of tests that have chats, tokens, faults or rates of their own for each.

export const platforms = ['telegram', 'max', 'vk'] as const;

export type Platform = (typeof platforms)[number];
