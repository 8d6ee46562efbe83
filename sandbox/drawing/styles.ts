// The styles of drawn chats, light and dark by what the reader's system prefers. They touch nothing outside of `.chat`.

import { looks } from './looks.ts';

const frame = `
  .chat { color-scheme: light dark; display: flex; flex-direction: column; min-width: 0; overflow: hidden;
    border-radius: 16px; border: 1px solid light-dark(#00000014, #ffffff1c); background: var(--card); color: var(--ink);
    font: 15px/1.4 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; text-align: start; }
  .chat *, .chat *::before { box-sizing: border-box; }
  .chat-head { display: flex; align-items: center; gap: 10px; padding: 9px 12px; min-width: 0;
    border-bottom: 1px solid light-dark(#00000012, #ffffff14); }
  .chat-names { flex: 1; min-width: 0; }
  .chat .chat-title { margin: 0; font-size: 15px; font-weight: 600; line-height: 1.25; }
  .chat-title bdi, .chat-subtitle bdi { display: block; overflow: hidden; white-space: nowrap; text-overflow: ellipsis; }
  .chat .chat-subtitle { margin: 0; font-size: 12.5px; color: var(--faint); }
  .chat .app { padding: 2px 8px; border-radius: 99px; font-size: 11.5px; font-weight: 600;
    background: var(--badge, light-dark(#50606f, #46525f)); color: var(--badge-ink, #ffffff); }
  .chat .avatar { flex: none; display: grid; place-items: center; width: 36px; height: 36px; border-radius: 50%;
    color: #ffffff; font-size: 13px; font-weight: 600; }
  .chat .colour-0 { background: #b8483f; } .chat .colour-1 { background: #a65a1e; } .chat .colour-2 { background: #7a55b5; }
  .chat .colour-3 { background: #3d7a35; } .chat .colour-4 { background: #23747c; } .chat .colour-5 { background: #2f6ba8; }
  .chat .colour-6 { background: #ae3f70; }
  .chat .scroll { flex: 1; min-height: 0; padding: 12px; overflow-y: auto; overflow-x: hidden;
    background: linear-gradient(165deg, var(--ground), var(--ground-end, var(--ground))); }
  .chat .scroll:focus-visible, .chat :is(a, button, .spoiler):focus-visible { outline: 2px solid var(--accent); outline-offset: -2px; }
  .chat .messages { display: flex; flex-direction: column; gap: 8px; margin: 0; padding: 0; list-style: none; }
  .chat .nothing { margin: 24px auto; padding: 4px 12px; width: fit-content; border-radius: 99px;
    background: var(--card); color: var(--faint); font-size: 13px; }
  .chat .service { align-self: center; max-width: 90%; padding: 3px 11px; border-radius: 99px; overflow-wrap: anywhere;
    background: var(--card); color: var(--faint); font-size: 12.5px; text-align: center; }
`;

const messages = `
  .chat .message { display: flex; flex-direction: column; align-items: flex-start; max-width: 100%; }
  .chat .message.own { align-items: flex-end; }
  .chat .bubble { position: relative; width: fit-content; min-width: 84px; max-width: min(94%, 30rem); overflow: hidden;
    padding: 7px 11px 6px; border-radius: var(--round); border-end-start-radius: 5px; background: var(--card);
    box-shadow: 0 1px 1px light-dark(#00000014, #00000040); overflow-wrap: anywhere; }
  .chat .own .bubble { border-end-start-radius: var(--round); border-end-end-radius: 5px; background: var(--card-own); }
  .chat .bubble:has(.album) { width: min(94%, 30rem); }
  .chat .author { display: block; font-size: 13.5px; font-weight: 600; color: var(--accent); overflow-wrap: anywhere; }
  .chat .text { white-space: pre-wrap; overflow-wrap: anywhere; }
  .chat .facts { margin: 0; font-size: 12px; line-height: 1.3; color: var(--faint); text-align: end; }
  .chat .own .facts, .chat .own .file-facts { color: color-mix(in srgb, var(--ink) 78%, var(--card-own)); }
  .chat .pinned::before { content: "📌 "; content: "📌 " / ""; }
  .chat .quoted { margin: 2px 0 5px; padding: 3px 9px; border-inline-start: 3px solid var(--accent); border-radius: 5px;
    background: color-mix(in srgb, var(--accent) 9%, transparent); font-size: 13.5px; }
  .chat .quoted-text { display: block; overflow: hidden; white-space: nowrap; text-overflow: ellipsis; }
  .chat .text a, .chat .files a { color: var(--accent); }
  .chat .text code, .chat .text pre { font: 13px/1.45 ui-monospace, "SF Mono", Menlo, Consolas, monospace; }
  .chat .text code { padding: 1px 4px; border-radius: 4px; background: color-mix(in srgb, var(--accent) 10%, transparent); }
  .chat .text pre { margin: 4px 0; padding: 7px 10px; border-radius: 7px; white-space: pre-wrap;
    background: color-mix(in srgb, var(--ink) 7%, transparent); }
  .chat .text pre code { padding: 0; background: none; }
  .chat .text blockquote { margin: 4px 0; padding: 3px 10px; border-inline-start: 3px solid var(--accent); border-radius: 5px;
    background: color-mix(in srgb, var(--accent) 9%, transparent); }
  .chat .text mark { background: light-dark(#ffe9a8, #6b5a1d); color: inherit; }
  .chat .spoiler { border-radius: 4px; background: currentColor; cursor: pointer; }
  .chat .spoiler:is(:hover, :focus, :active) { background: color-mix(in srgb, var(--ink) 10%, transparent); }
`;

const media = `
  .chat .album { display: grid; grid-template-columns: repeat(6, 1fr); gap: 2px; margin: -7px -11px 6px; padding: 0;
    list-style: none; overflow: hidden; }
  .chat :is(.author, .quoted) ~ .album { margin-top: 5px; }
  .chat .album li { position: relative; overflow: hidden; }
  .chat .album a { display: block; height: 100%; }
  .chat .picture { display: block; width: 100%; height: 100%; }
  .chat .span-6 { grid-column: span 6; aspect-ratio: 16 / 10; } .chat .span-3 { grid-column: span 3; aspect-ratio: 4 / 3; }
  .chat .span-2 { grid-column: span 2; aspect-ratio: 1; }
  .chat .play { position: absolute; inset: 0; margin: auto; display: grid; place-items: center; width: 42px; height: 42px;
    border-radius: 50%; background: #000000a6; }
  .chat .play svg { width: 22px; fill: #ffffff; }
  .chat .medium-kind { position: absolute; inset-block-start: 6px; inset-inline-start: 6px; padding: 1px 7px; border-radius: 99px;
    background: #000000a6; color: #ffffff; font-size: 11.5px; }
  .chat .files { margin: 2px 0 4px; padding: 0; list-style: none; }
  .chat .files li { display: flex; }
  .chat .files li, .chat .files a { min-width: 0; }
  .chat .files li > a { text-decoration: none; }
  .chat .files li, .chat .files li > a { display: flex; align-items: center; gap: 10px; padding: 2px 0; }
  .chat .file-icon { flex: none; display: grid; place-items: center; width: 38px; height: 38px; border-radius: 50%;
    background: var(--badge, light-dark(#50606f, #46525f)); color: #ffffff; }
  .chat .file-icon svg { width: 20px; fill: currentColor; }
  .chat .file-words { display: flex; flex-direction: column; min-width: 0; }
  .chat .file-name { font-weight: 600; font-size: 14px; overflow-wrap: anywhere; }
  .chat .file-facts { font-size: 12.5px; color: var(--faint); }
`;

const buttons = `
  .chat .buttons { display: flex; flex-direction: column; gap: 4px; width: min(94%, 30rem); margin-top: 4px; }
  .chat .button-row { display: flex; gap: 4px; }
  .chat .button { flex: 1; min-width: 0; padding: 7px 10px; border: 0; border-radius: 9px; background: var(--press);
    color: var(--press-ink); font: inherit; font-size: 14px; font-weight: 500; text-align: center; text-decoration: none;
    overflow-wrap: anywhere; }
  .chat button.button { cursor: pointer; }
  .chat :is(a, button).button:hover { filter: brightness(1.08); }
  .chat .arrow { margin-inline-start: 6px; font-size: 11px; }
`;

const walls = `
  .chat .post { width: 100%; padding: 12px 14px 8px; overflow: hidden; border-radius: var(--round); background: var(--card);
    overflow-wrap: anywhere; border: 1px solid light-dark(#0000000d, #ffffff0f); }
  .chat[data-kind="wall"] .message { align-items: stretch; }
  .chat .post-head { display: flex; align-items: center; gap: 10px; margin-bottom: 8px; }
  .chat .post-head .facts { text-align: start; }
  .chat .post .album { margin: 6px -14px 8px; }
  .chat .post .buttons { width: 100%; margin: 8px 0 0; }
  .chat .reactions { display: flex; gap: 8px; margin: 8px 0 0; }
  .chat .reactions span { display: grid; place-items: center; width: 42px; height: 28px; border-radius: 99px; background: var(--press); }
  .chat .reactions svg { width: 17px; fill: none; stroke: var(--faint); stroke-width: 1.8; stroke-linejoin: round; }
`;

export const chatStyles: string = [
  ...looks.map(({ name, colours }) => `.chat.look-${name} {${colours}}`),
  frame,
  messages,
  media,
  buttons,
  walls,
].join('\n');
