import { Html, html } from '../../../core/text/html.ts';
import { PAGE_STYLE } from '../presentation/page-style.ts';
import {
  type Dictionary,
  type DictionaryQuestion,
  type DictionaryTable,
  firstSentence,
} from './dictionary.ts';
import { drawLineage, familyOf, type LineagePage, type Reads } from './lineage-drawing.ts';

const GROUPS = { mart: 'Models', raw: 'From the service', ops: 'Loads and runs' } as const;

/**
 * Renders the dictionary as one self-contained HTML page: a section for each table and question, linkable by name
 * (`#mart.pages`, `#mart.pages.url`) and searchable, with a drawing of the lineage.
 */
export function renderSite(dictionary: Dictionary): string {
  const { tables, questions, publishedAt } = dictionary;
  const reads: Reads = new Map(tables.map((table) => [table.name, table.reads]));
  const models = new Set(tables.filter((table) => table.name.startsWith('mart.')).map((table) => table.name));
  const site: LineagePage = { reads, known: new Set([...reads.keys(), ...tables.flatMap(columnNames)]) };
  const drawn = new Set([...models, ...[...models].flatMap((name) => reads.get(name) ?? [])]);
  const page = html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>The warehouse</title><style>${new Html(SITE_STYLE)}</style></head><body>
<nav><input type="search" placeholder="Search: / " aria-label="Search"><div id="found"></div><div id="groups">
<a href="#top">Lineage</a>${navigation(tables)}
<h2>Questions</h2>${questions.map((question) => html`<a href="#${question.name}">${question.title}</a>`)}</div></nav>
<main><h1 id="top">The warehouse</h1>
<p class="facts">${tables.length} tables and views, ${questions.length} saved questions${publishedAt ? `; published ${publishedAt}` : ''}.</p>
<div class="scroll">${drawLineage(drawn, site, null)}</div>
${tables.map((table) => tableSection(table, site))}
${questions.map((question) => questionSection(question, site))}
</main><script>${new Html(SITE_SCRIPT)}</script></body></html>
`;
  return page.text;
}

function navigation(tables: readonly DictionaryTable[]): Html[] {
  return Object.entries(GROUPS).map(([schema, title]) => {
    const own = tables.filter((table) => table.name.startsWith(`${schema}.`));
    return html`<h2>${title}</h2>${own.map((table) => html`<a href="#${table.name}">${table.name}</a>`)}`;
  });
}

function links(names: readonly string[], site: LineagePage): Html {
  const pieces = names.map((name, index) => html`${index > 0 ? ', ' : ''}${link(name, site)}`);
  return html`${pieces}`;
}

/** Returns a name as a link to its section, or as plain text if the page has no such section. */
function link(name: string, { known }: LineagePage): Html {
  if (known.has(name)) return html`<a href="#${name}">${name}</a>`;
  return html`<code>${name}</code>`;
}

/** Returns a text with links for names of tables and columns, and with code for text between backticks. */
function linked(text: string, site: LineagePage): Html {
  const parts = text.split(/(`[^`]+`|\b(?:raw|mart|ops)\.[a-z_0-9]+(?:\.[A-Za-z_0-9]+)?)/);
  return html`${parts.map((part, index) => {
    if (index % 2 === 0) return part;
    return part.startsWith('`') ? html`<code>${part.slice(1, -1)}</code>` : link(part, site);
  })}`;
}

const columnNames = ({ name, columns }: DictionaryTable): string[] =>
  columns.map((column) => `${name}.${column.name}`);

function tableSection(table: DictionaryTable, site: LineagePage): Html {
  const { reads } = site;
  const { name, description, columns, tests, sql } = table;
  const family = familyOf(name, reads);
  const readers = [...reads].filter(([, sources]) => sources.includes(name)).map(([reader]) => reader);
  return html`<section id="${name}" data-title="${name}" data-search="${name} ${description}">
<h2><a href="#${name}">${name}</a></h2><p class="facts">${facts(table)}</p>
${description && html`<p>${linked(description, site)}</p>`}
${table.reads.length > 0 && html`<p class="facts">Made from ${links(table.reads, site)}.</p>`}
${readers.length > 0 && html`<p class="facts">Read by ${links(readers, site)}.</p>`}
${family.size > 1 && html`<details open><summary>Lineage</summary><div class="scroll">${drawLineage(family, site, name)}</div></details>`}
<h3>Columns</h3><div class="scroll"><table><tr><th>name</th><th>type</th><th>description</th></tr>
${columns.map(
  (column) =>
    html`<tr id="${name}.${column.name}" data-title="${name}.${column.name}" data-search="${name}.${column.name} ${column.description}"><td class="name"><a href="#${name}.${column.name}">${column.name}</a></td><td class="type">${column.type}</td><td>${linked(column.description ?? '', site)}${
      column.sources.length > 0 && html` <span class="facts">from ${links(column.sources, site)}</span>`
    }</td></tr>\n`,
)}</table></div>
${
  tests.length > 0 &&
  html`<h3>Tests</h3><table><tr><th>test</th><th>severity</th><th>last result</th><th>at</th></tr>${tests.map(
    (test) =>
      html`<tr><td>${test.name}</td><td>${test.severity}</td><td class="${test.status}">${test.status ?? 'not run'}${
        test.failures ? `: ${test.failures} rows` : ''
      }</td><td>${test.testedAt}</td></tr>\n`,
  )}</table>`
}
<h3>Example query</h3><pre>${sampleQuery(table)}</pre>
${sql && html`<details><summary>SQL${table.file && ` (${table.file})`}</summary><pre>${sql}</pre></details>`}</section>`;
}

function questionSection(question: DictionaryQuestion, site: LineagePage): Html {
  const { name, title, description, parameters, reads, sql } = question;
  return html`<section class="question" id="${name}" data-title="${title}" data-search="${name} ${title} ${description}">
<h2><a href="#${name}">${title}</a></h2><p class="facts"><code>crawlhouse query --question ${name}</code> · reads ${links(reads, site)}</p>
<p>${linked(description, site)}</p>${
    parameters.length > 0 &&
    html`<table><tr><th>parameter</th><th>type</th><th>default</th><th>means</th></tr>${parameters.map(
      (parameter) =>
        html`<tr><td class="name">${parameter.name}</td><td class="type">${parameter.type}</td><td>${parameter.default}</td><td>${parameter.description}</td></tr>\n`,
    )}</table>`
  }<details><summary>SQL</summary><pre>${sql}</pre></details></section>\n`;
}

function facts({ kind, grain, rows }: DictionaryTable): string {
  const said = [
    kind === 'source' ? 'table with the fields of the service' : kind === 'operations' ? 'table' : kind,
  ];
  if (rows !== null) said.push(`${rows.toLocaleString('en')} ${rows === 1 ? 'row' : 'rows'}`);
  if (grain) said.push(`a row for each ${grain.join(', ')}`);
  return said.join(' · ');
}

function sampleQuery({ name, columns, description }: DictionaryTable): string {
  const shown = columns.slice(0, 6).map((column) => `  ${quoted(column.name)}`);
  const crawl = columns.find((column) => column.name === 'crawl_id');
  const where = crawl
    ? '\nWHERE crawl_id = (SELECT max_by(crawl_id, ended_at) FROM mart.crawls WHERE is_latest)'
    : '';
  return `-- ${firstSentence(description) || name}\nSELECT\n${shown.join(',\n')}\nFROM ${name}${where}\nLIMIT 20`;
}

const quoted = (name: string): string =>
  /^[a-z_][a-z_0-9]*$/.test(name) ? name : `"${name.replaceAll('"', '""')}"`;

const SITE_STYLE = `${PAGE_STYLE}
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

/** Searches names and descriptions while the user types. The page is complete without it. */
const SITE_SCRIPT = `
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
  if (words.length > 0 && list.childElementCount === 0) list.textContent = 'no results';
};
input.addEventListener('input', show);
document.addEventListener('keydown', (event) => {
  if (event.key === '/' && document.activeElement !== input) { event.preventDefault(); input.focus(); }
  if (event.key === 'Escape') { input.value = ''; show(); input.blur(); }
  if (event.key === 'Enter' && document.activeElement === input) list.querySelector('a')?.click();
});
`;
