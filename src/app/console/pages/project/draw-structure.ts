import { type Html, html } from '../../../../core/text/html.ts';
import { lookUp } from '../../../../core/text/look-up.ts';
import { typedRows } from '../../../../core/text/typed-rows.ts';
import { type AddressParts, FIGURE_PAGES, pagesAddress } from '../../../answers/explore/pages/page-filter.ts';
import { scopeLines } from '../../../answers/explore/scope-lines.ts';
import { barChart } from '../../../answers/presentation/charts/bars.ts';
import { chartKey } from '../../../answers/presentation/charts/chart-marks.ts';
import { coloursOf } from '../../../answers/presentation/charts/palette.ts';
import { CrawlDays, daysWords } from '../../../answers/presentation/days-words.ts';
import { type TableColumn, table } from '../../../answers/presentation/html-table.ts';
import { crawlName } from '../../../answers/presentation/value-text.ts';
import { drawBlocks, projectPath, withQuery } from '../../layout/addresses.ts';
import { filterForm } from '../../layout/filter-form.ts';
import { drawPaging } from '../../layout/paging.ts';
import { projectTabs } from '../../layout/project-tabs.ts';
import { answerFigure, drawPending, shownValue } from '../../page-parts/answer-figure.ts';
import { depthNames } from '../../page-parts/project-figures.ts';
import type { Structure } from './structure-document.ts';

type FolderRow = Structure['folders']['rows'][number];

/** The pages that a figure of a folder counts. `leads` means that the linked list has a different number of pages. */
const FIGURES: readonly {
  readonly key: string;
  readonly name: string;
  readonly parts: AddressParts;
  readonly leads?: string;
}[] = [
  { key: 'pages', name: 'pages', parts: FIGURE_PAGES.pages },
  { key: 'indexable_pages', name: 'indexable', parts: FIGURE_PAGES.indexable_pages },
  { key: 'error_pages', name: 'errors', parts: FIGURE_PAGES.error_pages },
  {
    key: 'issues',
    name: 'findings',
    parts: { issues: 'gt:0', sort: 'issues desc' },
    leads: 'pages with an issue',
  },
  {
    key: 'clicks',
    name: 'clicks',
    parts: { clicks: 'gt:0', sort: 'clicks desc' },
    leads: 'pages with clicks',
  },
  {
    key: 'search_bot_hits',
    name: 'search bot hits',
    parts: { search_bot_hits: 'gt:0', sort: 'search_bot_hits desc' },
    leads: 'pages that search engines requested',
  },
];

/** The condition of each indexability, and its place among the colors. */
const INDEXABILITY = { indexable: 'is:true', 'not indexable': 'is:false', unknown: 'is:null' } as const;

export function drawStructure(document: Structure, query: URLSearchParams): Html {
  const { project_id, project_name, crawl, crawls, folder, folders, depths, paging } = document;
  const path = `${projectPath(project_id)}/structure`;
  const options = crawls.map((crawl) => ({ value: crawl.crawl_id, text: crawlName(crawl) }));
  return html`<h1>${project_name ?? project_id}</h1>
${projectTabs(project_id, 'structure')}
${drawBlocks(scopeLines(crawl.scope_note))}
${filterForm(path, query, [{ name: 'crawl', label: 'crawl', any: 'the latest', options }])}
${trail(path, query, folder)}
${drawPending([folders, depths])}
${answerFigure(`Folders in ${folder}`, folders, {
  rows: foldersTable(document, path, query),
  empty: `No page of the crawl is in ${folder}.`,
})}
${drawPaging(paging, { path, query })}
${depthFigure(document)}
`;
}

/** Returns the folders above the shown one, each with its link. */
function trail(path: string, query: URLSearchParams, folder: string): Html {
  const names = folder.split('/').slice(1, -1);
  const to = (count: number): string =>
    withQuery(path, query, {
      folder: `/${names
        .slice(0, count)
        .map((name) => `${name}/`)
        .join('')}`,
      page: null,
    });
  const links = names.map((name, place) =>
    place === names.length - 1
      ? html` <span aria-current="page">${name}/</span>`
      : html` <a href="${to(place + 1)}">${name}/</a>`,
  );
  return html`<nav class="trail" aria-label="Folders above"><a href="${withQuery(path, query, { folder: null, page: null })}">/</a>${links}</nav>`;
}

/** Returns the SQL condition that a path has no further folder from a character on. */
export const directlyIn = (character: number): string => `strpos(substr(urlpath, ${character}), '/') = 0`;

/** Returns the filter of the pages of a folder, or of the pages directly in it. */
function pagesIn({ folder, is_subfolder }: FolderRow): AddressParts {
  const path = String(folder);
  const direct = { where: directlyIn([...path].length + 1) };
  return { urlpath: `starts:${path}`, ...(is_subfolder === true ? {} : direct) };
}

function foldersTable(document: Structure, path: string, query: URLSearchParams): Html {
  const { project_id, crawl, folder, sort, folders } = document;
  const unknown = html`<span class="unknown">unknown</span>`;
  const headed = (key: string) => {
    const isNow = sort.replace(/^-/, '') === key;
    const order = sort.startsWith('-') ? ('descending' as const) : ('ascending' as const);
    // The largest figures first, but names from A to Z.
    const first = key === 'folder' ? key : `-${key}`;
    const next = sort === first ? (first.startsWith('-') ? key : `-${key}`) : first;
    return { href: withQuery(path, query, { sort: next, page: null }), ...(isNow && { order }) };
  };
  const figures = FIGURES.map(({ key, name, parts, leads }): TableColumn<FolderRow> => {
    const cell = (row: FolderRow): Html => {
      const text = shownValue(row[key]);
      if (text === null) return unknown;
      if (text === '0') return html`0`;
      const href = pagesAddress(project_id, { crawl: crawl.crawl_id, ...pagesIn(row), ...parts });
      return html`<a href="${href}"${leads && html` aria-label="${text}, ${leads}"`}>${text}</a>`;
    };
    return { name, isNumber: true, cell, ...headed(key) };
  });
  const name = (row: FolderRow): Html => {
    const whole = String(row.folder);
    if (row.is_subfolder !== true) return html`pages directly in ${whole}`;
    const href = withQuery(path, query, { folder: whole, page: null });
    return html`<a href="${href}">${whole.slice(folder.length)}</a>`;
  };
  const [first] = typedRows(CrawlDays, folders.rows.slice(0, 1).map(daysOf));
  const known = folders.rows.map(({ clicks, search_bot_hits }) => ({
    clicks: clicks === null ? null : Number(clicks),
    search_bot_hits: search_bot_hits === null ? null : Number(search_bot_hits),
  }));
  return html`${table(`Folders in ${folder}`, [{ name: 'folder', cell: name, ...headed('folder') }, ...figures], folders.rows, '')}
<p class="facts">Each figure is the sum over all pages below; a page counts as a finding for each of its issues. ${first && daysWords(first, known)}</p>`;
}

const daysOf = (row: FolderRow) => ({
  ranking_from_date: row.ranking_from_date,
  ranking_to_date: row.ranking_to_date,
  log_from_date: row.log_from_date,
  log_to_date: row.log_to_date,
});

function depthFigure({ project_id, project_name, crawl, folder, depths }: Structure): Html {
  const names = Object.keys(INDEXABILITY).filter((name) =>
    depths.rows.some(({ indexability }) => indexability === name),
  );
  const colours = coloursOf(names.map((name) => (name === 'unknown' ? null : name)));
  const colourOf = (name: string): string => colours[names.indexOf(name)] ?? '';
  const depthOf = depthNames(depths, crawl.scope_note);
  const within = folder === '/' ? {} : { urlpath: `starts:${folder}` };
  const bars = depths.rows.map(({ depth, indexability, pages }) => {
    const name = String(indexability);
    return {
      name: `${depthOf(depth)}, ${name}`,
      value: Number(pages),
      colour: colourOf(name),
      href: pagesAddress(project_id, {
        crawl: crawl.crawl_id,
        ...within,
        depth: depth === null ? 'is:null' : `eq:${depth}`,
        is_indexable: lookUp(INDEXABILITY, name),
      }),
    };
  });
  const chart = barChart(`Pages by crawl depth of ${project_name ?? project_id}`, bars);
  return answerFigure(`Pages by crawl depth${folder === '/' ? '' : ` in ${folder}`}`, depths, {
    chart: chart && html`${chartKey(names.map((name) => ({ name, colour: colourOf(name) })))}${chart}`,
  });
}
