import { PAGE_STYLE } from '../../core/text/page-style.ts';

export const SITE_STYLE = `${PAGE_STYLE}
:root { --raw: light-dark(#e8f0e4, #26331f); --mart: light-dark(#e3ecf8, #1d2c42); --ops: light-dark(#f3ead9, #3a301c); }
html { scroll-padding-top: 1rem; }
body { display: flex; }
nav { position: sticky; top: 0; height: 100vh; width: 300px; flex: none; overflow-y: auto; padding: 1.2rem; background: var(--side);
  border-right: 1px solid var(--line); }
nav h2 { font-size: .75rem; text-transform: uppercase; letter-spacing: .06em; color: var(--soft); margin: 1.2rem 0 .3rem; }
nav a { display: block; padding: .1rem .4rem; border-radius: 4px; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
nav a:hover { background: var(--line); }
nav input { width: 100%; padding: .45rem .6rem; font: inherit; border: 1px solid var(--line); border-radius: 6px; color: inherit; background: var(--page); }
nav .found { font-size: .85rem; color: var(--soft); padding-left: 1rem; }
main { padding: 1.5rem 2.5rem 6rem; min-width: 0; max-width: 1240px; flex: 1; }
a { text-decoration: none; } a:hover { text-decoration: underline; }
h1 { font-size: 1.6rem; margin: .2rem 0 1rem; }
section { border-top: 1px solid var(--line); margin-top: 2.5rem; padding-top: 1rem; }
section > h2 { font-size: 1.25rem; margin: 0; font-family: ui-monospace, monospace; }
section > h2 a { color: inherit; }
section.question > h2 { font-family: inherit; }
h3 { font-size: .95rem; margin: 1.2rem 0 .4rem; }
.facts { color: var(--soft); font-size: .9rem; margin: .2rem 0 .6rem; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: .92rem; }
th { text-align: left; color: var(--soft); font-weight: 600; } th, td { padding: .3rem .9rem .3rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
code, td.name, td.type { font-family: ui-monospace, monospace; font-size: .87em; } td.name, td.type { white-space: nowrap; } td.type { color: var(--soft); }
pre { background: var(--side); border: 1px solid var(--line); border-radius: 6px; padding: .8rem 1rem; overflow-x: auto; font-size: .85rem; line-height: 1.45; }
summary { cursor: pointer; color: var(--link); margin-top: .8rem; }
.passed { color: var(--good); } .failed { color: var(--bad); font-weight: 600; }
svg.lineage { max-width: none; } svg.lineage path { fill: none; stroke: var(--soft); stroke-opacity: .5; stroke-width: 1.3; }
svg.lineage rect { stroke: var(--line); fill: var(--mart); } svg.lineage rect.raw { fill: var(--raw); } svg.lineage rect.ops { fill: var(--ops); }
svg.lineage rect.chosen { stroke: var(--link); stroke-width: 2; } svg.lineage text { font: 12px ui-monospace, monospace; fill: var(--ink); }
@media (max-width: 800px) { body { display: block; } nav { position: static; width: auto; height: auto; border-right: 0; } main { padding: 1rem; } }
@media print { nav, details { display: none; } }
`;

/** Searches names and descriptions as one types; without it the page is whole all the same. */
export const SITE_SCRIPT = `
const input = document.querySelector('nav input');
const list = document.querySelector('#found');
const groups = document.querySelector('#groups');
const entries = [...document.querySelectorAll('[data-search]')].map((element) => ({
  id: element.id, text: element.dataset.search.toLowerCase(), title: element.dataset.title }));
const show = () => {
  const words = input.value.toLowerCase().split(/\\s+/).filter(Boolean);
  groups.hidden = words.length > 0;
  list.replaceChildren(...(words.length === 0 ? [] : entries
    .filter((entry) => words.every((word) => entry.text.includes(word)))
    .sort((a, b) => Number(b.title.toLowerCase().includes(words[0])) - Number(a.title.toLowerCase().includes(words[0])))
    .slice(0, 60).map((entry) => Object.assign(document.createElement('a'), { href: '#' + encodeURIComponent(entry.id), textContent: entry.title }))));
  if (words.length > 0 && list.childElementCount === 0) list.textContent = 'nothing has these words';
};
input.addEventListener('input', show);
document.addEventListener('keydown', (event) => {
  if (event.key === '/' && document.activeElement !== input) { event.preventDefault(); input.focus(); }
  if (event.key === 'Escape') { input.value = ''; show(); input.blur(); }
  if (event.key === 'Enter' && document.activeElement === input) list.querySelector('a')?.click();
});
`;
