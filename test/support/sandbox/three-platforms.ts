// The platforms for which tests have chats, tokens, faults or rates.

export const platforms = ['telegram', 'max', 'vk'] as const;

export type Platform = (typeof platforms)[number];
