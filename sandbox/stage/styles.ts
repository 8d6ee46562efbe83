// The styles of the pages. Those of the chats themselves belong to the drawing.

import { chatStyles } from '../drawing/styles.ts';

const page = `
:root { color-scheme: light dark; --paper: light-dark(#f4f5f8, #0e1014); --sheet: light-dark(#ffffff, #181b21);
  --line: light-dark(#e0e3ea, #2a2f38); --words: light-dark(#171a21, #e9ebf0); --soft: light-dark(#586070, #9aa3b2);
  --main: light-dark(#3553c4, #93a9ff); --on-main: light-dark(#ffffff, #10142a); --good: light-dark(#17683a, #6fd39a);
  --bad: light-dark(#a3262b, #ff9a95); --wait: light-dark(#7c5200, #f0c063); }
* { box-sizing: border-box; }
body.stage { margin: 0; background: var(--paper); color: var(--words); line-height: 1.45;
  font: 15px/1.45 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; }
.unseen, .skip:not(:focus) { position: absolute; width: 1px; height: 1px; margin: -1px; overflow: hidden; clip-path: inset(50%);
  white-space: nowrap; }
.skip:focus { position: absolute; z-index: 2; padding: 8px 14px; background: var(--sheet); color: var(--main); }
.top { display: flex; align-items: center; flex-wrap: wrap; gap: 2px 14px; padding: 14px 24px; }
.top h1 { margin: 0; font-size: 18px; font-weight: 650; letter-spacing: -.01em; }
.top h1 a { display: flex; align-items: center; gap: 9px; color: inherit; text-decoration: none; }
.top h1 svg { width: 26px; height: 26px; padding: 4px; border-radius: 8px; fill: var(--on-main); background: var(--main); }
.top p { flex: 1; margin: 0; color: var(--soft); }
.live { padding: 2px 11px; border-radius: 99px; font-size: 13px; color: var(--soft); background: var(--sheet); border: 1px solid var(--line); }
.live[data-state="live"] { color: var(--good); }
.live[data-state="live"]::before { content: ""; display: inline-block; width: 8px; height: 8px; margin-inline-end: 7px; border-radius: 50%;
  background: currentColor; }
.live[data-state="lost"] { color: var(--bad); }
.notice { margin: 0 24px 14px; padding: 10px 14px; border-radius: 12px; background: var(--sheet); border: 1px solid var(--line); color: var(--soft); }
.scene { display: grid; grid-template: "post chats" auto "more chats" auto "more under" 1fr / minmax(290px, 330px) minmax(0, 1fr); gap: 16px 20px;
  align-items: start; padding: 0 24px; }
.desk { grid-area: post; display: grid; gap: 16px; min-width: 0; }
.desk.more { grid-area: more; }
.under { grid-area: under; min-width: 0; }
.chats { grid-area: chats; display: grid; grid-template-columns: repeat(auto-fit, minmax(290px, 1fr)); gap: 16px; align-items: start;
  min-width: 0; }
.group { display: grid; gap: 16px; min-width: 0; }
.place { min-width: 0; }
.place .chat { max-height: 430px; }
.place .chat:not([data-kind="wall"]) .scroll { display: flex; flex-direction: column-reverse; }
.place .chat[data-kind="wall"] { max-height: 720px; }
.alone { max-width: 46rem; margin: 0 auto; padding: 0 16px; display: grid; gap: 16px; }
.foot { display: flex; flex-wrap: wrap; gap: 6px 20px; padding: 22px 24px 30px; font-size: 13.5px; }
.foot a { color: var(--soft); }
:is(a, button, input, textarea, select, summary):focus-visible { outline: 2px solid var(--main); outline-offset: 2px; }
@media (max-width: 1020px) {
  .scene { grid-template: "post" "chats" "more" "under" / minmax(0, 1fr); padding: 0 14px; }
  .top { padding: 12px 14px; }
  .top p { flex-basis: 100%; order: 1; }
  .top h1 { flex: 1; }
  .notice { margin-inline: 14px; }
  .foot { padding-inline: 14px; }
}
`;

const panels = `
.panel { min-width: 0; padding: 14px 16px 16px; border-radius: 16px; background: var(--sheet); border: 1px solid var(--line); }
.panel h2 { margin: 0 0 10px; font-size: 15px; font-weight: 650; }
.panel p { margin: 0; }
.panel form { margin: 0; }
.panel .quiet, .quiet { color: var(--soft); font-size: 13.5px; }
.panel label { display: block; margin: 9px 0 3px; font-size: 13.5px; color: var(--soft); }
.panel fieldset { margin: 0; padding: 0; border: 0; min-width: 0; }
.panel fieldset > label:first-child { margin-top: 0; }
.panel :is(input, textarea, select) { width: 100%; padding: 8px 10px; border: 1px solid light-dark(#8b94a5, #5a6373); border-radius: 9px;
  background: transparent; color: inherit; font: inherit; }
.panel select option { color: #171a21; background: #ffffff; }
.panel textarea { display: block; resize: vertical; min-height: 60px; }
::placeholder { color: var(--soft); opacity: 1; }
.two { display: grid; grid-template-columns: 1fr 118px; gap: 10px; }
.panel details { margin-top: 10px; }
.panel summary { cursor: pointer; font-size: 13.5px; color: var(--main); }
.panel code { overflow-wrap: anywhere; font: 12.5px/1.5 ui-monospace, "SF Mono", Menlo, Consolas, monospace; }
.methods code { display: inline-block; margin: 0 10px 2px 0; }
button { font: inherit; cursor: pointer; }
button.main { width: 100%; margin-top: 14px; padding: 10px; border: 0; border-radius: 10px; background: var(--main); color: var(--on-main); font-weight: 600; }
button.main:hover { filter: brightness(1.08); }
:disabled { cursor: not-allowed; }
fieldset:disabled button.main { background: var(--line); color: var(--soft); }
button.plain { padding: 6px 12px; border: 1px solid var(--line); border-radius: 9px; background: transparent; color: var(--main); }
#resume-form, #clock-form { margin-top: 12px; }
.said { margin-top: 12px !important; padding: 8px 12px; border-radius: 10px; font-size: 14px; overflow-wrap: anywhere; white-space: pre-line; }
.said.good { background: light-dark(#e8f5ec, #16301f); color: var(--good); }
.said.bad { background: light-dark(#fdecec, #3a1a1b); color: var(--bad); }
`;

const lists = `
.recents, .recents ul, .calls, .others { margin: 0; padding: 0; list-style: none; }
.recent + .recent { margin-top: 10px; padding-top: 10px; border-top: 1px solid var(--line); }
.excerpt { margin-bottom: 4px !important; font-weight: 550; overflow: hidden; white-space: nowrap; text-overflow: ellipsis; }
.recent li, .calls li { display: grid; grid-template-columns: minmax(0, 1fr) auto; align-items: center; gap: 0 8px; padding: 2px 0; font-size: 13.5px; }
.calls { max-height: 260px; overflow-y: auto; }
.calls li { grid-template-columns: auto minmax(0, 1fr) auto; }
.calls time { color: var(--soft); font-variant-numeric: tabular-nums; font-size: 12.5px; }
.channel { overflow: hidden; white-space: nowrap; text-overflow: ellipsis; }
.why { grid-column: 1 / -1; color: var(--soft); overflow-wrap: anywhere; }
.chip { padding: 0 9px; border-radius: 99px; font-size: 12.5px; line-height: 20px; border: 1px solid currentColor; }
.chip.sent { color: var(--good); } .chip.failed { color: var(--bad); } .chip.waiting { color: var(--wait); } .chip.going { color: var(--main); }
#faults table { width: 100%; border-collapse: collapse; }
#faults thead th { padding: 0 0 4px; font-size: 12.5px; font-weight: 500; color: var(--soft); text-align: center; }
#faults tbody th { padding: 5px 6px 5px 0; text-align: start; font-weight: 500; font-size: 14px; }
#faults td { width: 62px; text-align: center; }
.switch { width: 40px; height: 24px; padding: 2px; border: 1px solid light-dark(#8b94a5, #667085); border-radius: 99px; background: var(--line); }
.switch span { display: block; width: 18px; height: 18px; border-radius: 50%; background: var(--sheet); border: 1px solid light-dark(#8b94a5, #667085);
  transition: translate .15s; }
.switch[aria-checked="true"] { background: var(--bad); border-color: var(--bad); }
.switch[aria-checked="true"] span { translate: 16px 0; }
#now { font-variant-numeric: tabular-nums; font-size: 15px; }
`;

const composers = `
.composer { display: flex; gap: 8px; margin: 0; padding: 8px 10px; background: var(--card); border-top: 1px solid light-dark(#00000012, #ffffff14); }
.composer input:not([type="hidden"]) { flex: 1; min-width: 0; padding: 8px 13px; border: 1px solid light-dark(#8b94a5, #5a6373); border-radius: 99px; background: transparent;
  color: inherit; font: inherit; font-size: 14px; }
.composer ::placeholder { color: var(--faint); }
.composer button { flex: none; width: 38px; height: 38px; padding: 9px; border: 0; border-radius: 50%; background: var(--badge, var(--accent)); }
.composer svg { display: block; width: 20px; height: 20px; fill: #ffffff; }
@media (prefers-reduced-motion: no-preference) {
  .new .bubble, .new .post { animation: come .4s ease-out; }
  @keyframes come { from { opacity: 0; transform: translateY(10px); } }
}
`;

export const stageStyles: string = [page, panels, lists, chatStyles, composers].join('\n');
