/** Everything the page looks like. Follows the reader's choice of light or dark. */
export const pageStyle = `:root {
  color-scheme: light dark;
  --paper: light-dark(#fdfcfa, #16181d);
  --ink: light-dark(#22252b, #dfe2e8);
  --faint: light-dark(#6b7079, #8f96a3);
  --line: light-dark(#e3e0da, #2c3038);
  --raised: light-dark(#f5f2ec, #1e2128);
  --accent: light-dark(#1f5fbf, #7fb0ff);
  --good: light-dark(#116329, #7ee2a0);
  --good-back: light-dark(#e3f6e8, #12301d);
  --bad: light-dark(#a40e26, #ff9a9a);
  --bad-back: light-dark(#fbe6e8, #3a1a1e);
}
* { box-sizing: border-box; }
body {
  margin: 0;
  background: var(--paper);
  color: var(--ink);
  font: 16px/1.6 system-ui, sans-serif;
  overflow-wrap: anywhere;
}
main { max-width: 50rem; margin: 0 auto; padding: 2rem 1rem 6rem; }
h1 { font-size: 1.6rem; line-height: 1.25; margin: 0 0 .5rem; }
h2 { margin: 3rem 0 1rem; padding-top: 1rem; border-top: 2px solid var(--line); font-size: 1.25rem; }
h3 { margin: 0 0 .5rem; font-size: .95rem; }
time, small, .facts, .note { color: var(--faint); font-weight: normal; font-size: .85rem; }
.facts { margin: .25rem 0; }
.note { margin: 1rem 0; text-align: center; }
.bad { color: var(--bad); }
article { margin: 1.5rem 0; }
article.user { background: var(--raised); border-radius: .6rem; padding: .9rem 1.1rem; }
.typed { white-space: pre-wrap; }
a { color: var(--accent); }
img { max-width: 100%; height: auto; border-radius: .4rem; }
pre, code { font-family: ui-monospace, "Cascadia Mono", Menlo, Consolas, monospace; font-size: .86em; }
pre {
  margin: .75rem 0;
  padding: .75rem 1rem;
  background: var(--raised);
  border: 1px solid var(--line);
  border-radius: .4rem;
  overflow-x: auto;
  white-space: pre;
  overflow-wrap: normal;
}
details pre { max-height: 40rem; overflow-y: auto; }
:not(pre) > code { background: var(--raised); padding: .1em .3em; border-radius: .25rem; }
.prose > :first-child { margin-top: 0; }
.prose h1, .prose h2, .prose h3 { font-size: 1.1rem; margin: 1.25rem 0 .5rem; padding: 0; border: 0; }
.prose table { border-collapse: collapse; display: block; overflow-x: auto; }
.prose th, .prose td { border: 1px solid var(--line); padding: .3rem .6rem; text-align: left; }
blockquote { margin: .75rem 0; padding-left: 1rem; border-left: 3px solid var(--line); color: var(--faint); }
details { margin: .6rem 0; border-left: 3px solid var(--line); padding-left: .8rem; }
details.thinking { color: var(--faint); }
details.call { border-left-color: var(--accent); }
summary { cursor: pointer; color: var(--faint); font-size: .9rem; }
summary b { color: var(--ink); }
.diff .added { color: var(--good); background: var(--good-back); }
.diff .removed { color: var(--bad); background: var(--bad-back); }
.diff .place { color: var(--accent); }
@media print { details pre { max-height: none; } main { max-width: none; padding: 0; } }
`;
