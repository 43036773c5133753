import { Html, html } from '../../core/text/html.ts';
import {
  type Dictionary,
  type DictionaryQuestion,
  type DictionaryTable,
  firstSentence,
} from './dictionary.ts';
import { drawLineage, type LineagePage } from './lineage-drawing.ts';
import { familyOf, type Reads } from './lineage-layout.ts';
import { SITE_SCRIPT, SITE_STYLE } from './site-style.ts';

const GROUPS = { mart: 'Models', raw: 'From the service', ops: 'How it came about' } as const;

/**
 * The dictionary as one page of HTML that needs nothing else: a section for each table and question, linkable by its
 * name (`#mart.pages`, `#mart.pages.url`), searchable, with the lineage drawn.
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
<h2>Questions</h2>${questions.map((one) => html`<a href="#${one.name}">${one.title}</a>`)}</div></nav>
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

/** A name as a link to its section; one that this page has not is a name. */
function link(name: string, { known }: LineagePage): Html {
  if (known.has(name)) return html`<a href="#${name}">${name}</a>`;
  return html`<code>${name}</code>`;
}

/** A text in which the names of tables and columns are links, and what stands between backticks is code. */
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
<h3>Columns</h3><div class="scroll"><table><tr><th>name</th><th>type</th><th>holds</th></tr>
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
<h3>A query to begin with</h3><pre>${sampleQuery(table)}</pre>
${sql && html`<details><summary>SQL${table.file && ` (${table.file})`}</summary><pre>${sql}</pre></details>`}</section>`;
}

function questionSection(question: DictionaryQuestion, site: LineagePage): Html {
  const { name, title, description, parameters, reads, sql } = question;
  return html`<section class="question" id="${name}" data-title="${title}" data-search="${name} ${title} ${description}">
<h2><a href="#${name}">${title}</a></h2><p class="facts"><code>crawlhouse query --question ${name}</code> · reads ${links(reads, site)}</p>
<p>${linked(description, site)}</p>${
    parameters.length > 0 &&
    html`<table><tr><th>parameter</th><th>type</th><th>default</th><th>means</th></tr>${parameters.map(
      (one) =>
        html`<tr><td class="name">${one.name}</td><td class="type">${one.type}</td><td>${one.default}</td><td>${one.description}</td></tr>\n`,
    )}</table>`
  }<details><summary>SQL</summary><pre>${sql}</pre></details></section>\n`;
}

function facts({ kind, grain, rows }: DictionaryTable): string {
  const said = [kind === 'source' ? 'table, as the service sent it' : kind === 'operations' ? 'table' : kind];
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
