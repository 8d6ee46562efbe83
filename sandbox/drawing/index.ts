// Chats as the apps of the platforms draw them, in HTML without a script and without anything to load. The pages of the
// sandbox use it, and so does whoever shows what a post will look like.

export { drawChat } from './chat.ts';
export type { DrawnMessage } from './drawn-chat.ts';
export { chatStyles } from './styles.ts';
