import { z } from 'zod';
import { counted, countText } from '../../../../core/text/amounts.ts';
import { type Html, html } from '../../../../core/text/html.ts';
import { lookUp } from '../../../../core/text/look-up.ts';
import { shellWord } from '../../../../core/text/shell-word.ts';
import type { Typed } from '../../../../core/text/typed-rows.ts';
import { CRAWL_NAMES } from '../../../../etl/project/model/crawl-name.ts';
import { chosenBy } from '../../../answers/explore/chosen-crawls.ts';
import { type TableColumn, table } from '../../../answers/presentation/html-table.ts';
import { crawlName } from '../../../answers/presentation/value-text.ts';
import { projectPath, urlLink, withQuery } from '../../layout/addresses.ts';
import { filterForm } from '../../layout/filter-form.ts';
import { drawPaging, Paging, pagingOf } from '../../layout/paging.ts';
import { projectTabs } from '../../layout/project-tabs.ts';
import {
  answerFigure,
  drawPending,
  FigureAnswer,
  readFigure,
  shownValue,
  signedValue,
} from '../../page-parts/answer-figure.ts';
import { calledProject } from '../../page-parts/called-project.ts';
import { type PageRequest, page } from '../../page-parts/console-page.ts';
import { PAGE_ROWS } from '../../readers/read-answer.ts';
import type { WarehouseRow } from '../../readers/readers.ts';
import { crawlsOf, ProjectCrawl } from './compare-page.ts';

const QUESTION = 'q24_migration_check';

/** Readable names of the findings of the migration check (docs/definitions.md). */
const FINDINGS: Readonly<Record<string, string>> = {
  not_redirected: 'Not redirected',
  bad_target: 'To an error or a noindex page',
  loop: 'Redirect loop',
  to_start_page: 'To the home page',
  many_to_one: 'Many pages to one',
  other_language: 'To another language',
  canonicalised: 'To a canonicalized page',
  temporary_redirect: 'Temporary redirect',
  chain: 'Redirect chain',
  not_known: 'Unknown',
  ok: 'OK',
};
const findingName = (finding: unknown): string => lookUp(FINDINGS, String(finding)) ?? String(finding);

const Migration = z.strictObject({
  project_id: z.string(),
  project_name: z.string().nullable(),
  /** The identifier of the chosen crawl; null: the main one. */
  crawl: z.string().nullable(),
  crawls: z.array(ProjectCrawl),
  finding: z.string().nullable(),
  /** A row for each finding: old URLs, clicks before, after and at risk. */
  findings: FigureAnswer,
  /** The old URLs on this page of the list. */
  urls: FigureAnswer,
  paging: Paging,
});
type Migration = Typed<typeof Migration>;

export const MIGRATION = page<Migration>({
  path: '/projects/:project_id/migration',
  summary: 'Where the old URLs of a project lead now, and the clicks that depend on them.',
  query: {
    crawl: `One of: ${CRAWL_NAMES}; also a crawl of a list of old URLs (default: the main crawl).`,
    finding: 'Only old URLs with this finding.',
    page: 'The page of 100 old URLs, from 1.',
    wait: '1: wait for both answers, even slow ones.',
  },
  schema: Migration,
  async read({ path, query }, readers) {
    const { project_id, project_name } = await calledProject(readers, path.project_id ?? '');
    const named = query.get('crawl') || null;
    const crawl =
      named === null
        ? null
        : await readers.readOnce(
            `migration: crawl ${JSON.stringify([project_id, named])}`,
            async (warehouse, signal) => {
              const chosen = await chosenBy({ project: project_id, crawl: named }, warehouse, signal);
              return chosen.get('crawl') ?? null;
            },
          );
    const finding = query.get('finding') || null;
    const ask = {
      question: QUESTION,
      isSlow: true,
      isPatient: query.has('wait'),
      given: { project: project_id, ...(crawl !== null && { crawl }) },
    };
    const read = (from: number): Promise<FigureAnswer> =>
      readFigure(readers, { ...ask, more: { finding }, select: (answer) => withFindings(answer, from) });
    const { from: asked } = pagingOf(query.get('page'), Number.POSITIVE_INFINITY, PAGE_ROWS);
    const answer = await read(asked);
    const findings = { ...answer, rows: findingsOf(answer) };
    const total = findings.rows
      .filter((row) => finding === null || row.finding === finding)
      .reduce((sum, row) => sum + Number(row.old_urls), 0);
    const { from, ...paging } = pagingOf(query.get('page'), total, PAGE_ROWS);
    // A page beyond the end has no rows.
    const urls = urlsOf(from === asked || answer.state !== 'read' ? answer : await read(from));
    const crawls = [...(await crawlsOf(project_id, readers))];
    return { project_id, project_name, crawl, crawls, finding, findings, urls, paging };
  },
  draw: (document, request) => ({
    title: `Migration of ${document.project_name ?? document.project_id}`,
    body: drawMigration(document, request),
  }),
});

/** Columns that have one value for each finding. */
const OF_FINDING = [
  'old_urls',
  'all_clicks_at_risk',
  'all_clicks_before',
  'all_clicks_change',
  'days_before',
  'days_after',
  'clicks_change_reason',
  'previous_crawl_id',
];

/** The sums of each finding and its old URLs need the same work, so one statement reads both. */
const withFindings = (answer: string, from: number): string =>
  `SELECT *
   FROM (
     SELECT finding, reason, old_url, status_code, evidence, evidence_crawl_id, hops, is_temporary, new_url,
       new_status_code, old_pages, clicks_at_risk, clicks_before, clicks_after, clicks_change,
       count(*) OVER (PARTITION BY finding) AS old_urls,
       CAST(sum(clicks_at_risk) OVER (PARTITION BY finding) AS BIGINT) AS all_clicks_at_risk,
       CAST(sum(clicks_before) OVER (PARTITION BY finding) AS BIGINT) AS all_clicks_before,
       CAST(sum(clicks_change) OVER (PARTITION BY finding) AS BIGINT) AS all_clicks_change,
       max(days_before) OVER (PARTITION BY finding) AS days_before,
       max(days_after) OVER (PARTITION BY finding) AS days_after,
       max(clicks_change_reason) OVER (PARTITION BY finding) AS clicks_change_reason,
       max(previous_crawl_id) OVER (PARTITION BY finding) AS previous_crawl_id,
       row_number() OVER (PARTITION BY finding ORDER BY old_url) AS place_in_finding,
       row_number() OVER (
         PARTITION BY CAST($finding AS VARCHAR) IS NULL OR finding = $finding
         ORDER BY coalesce(clicks_at_risk, 0) DESC, coalesce(clicks_before, 0) DESC, old_url) - ${from} AS place,
       CAST($finding AS VARCHAR) IS NULL OR finding = $finding AS is_chosen
     FROM ${answer}) AS placed
   WHERE place_in_finding = 1 OR is_chosen AND place BETWEEN 1 AND ${PAGE_ROWS}
   ORDER BY coalesce(all_clicks_at_risk, 0) DESC, CASE WHEN finding = 'ok' THEN 1 ELSE 0 END, old_urls DESC, finding, place`;

function findingsOf({ rows }: FigureAnswer): WarehouseRow[] {
  return rows
    .filter(({ place_in_finding }) => Number(place_in_finding) === 1)
    .map((row) =>
      Object.fromEntries(
        ['finding', ...OF_FINDING].map((column) => [column.replace('all_', ''), row[column]]),
      ),
    );
}

/** Returns the old URLs on the page of the list. */
function urlsOf(answer: FigureAnswer): FigureAnswer {
  const rows = answer.rows
    .filter(({ is_chosen, place }) => is_chosen === true && Number(place) >= 1 && Number(place) <= PAGE_ROWS)
    .toSorted((a, b) => Number(a.place) - Number(b.place))
    .map(({ place, place_in_finding, is_chosen, ...row }) =>
      Object.fromEntries(Object.entries(row).filter(([column]) => !OF_FINDING.includes(column))),
    );
  return { ...answer, rows };
}

function drawMigration(document: Migration, { query }: PageRequest): Html {
  const { project_id, project_name, crawl, crawls, findings, urls, paging } = document;
  const path = `${projectPath(project_id)}/migration`;
  const isSeveral = new Set(crawls.map((crawl) => crawl.crawl_config_name)).size > 1;
  const nameOf = (one: (typeof crawls)[number]): string =>
    isSeveral ? `${crawlName(one)}, ${one.crawl_config_name ?? 'without a name'}` : crawlName(one);
  const flags = crawl === null ? '' : ` -p ${shellWord(`crawl=${crawl}`)}`;
  return html`<h1>${project_name ?? project_id}</h1>
${projectTabs(project_id, 'migration')}
<div class="stay">${filterForm(path, query, [
    {
      name: 'crawl',
      label: 'crawl',
      any: 'the latest',
      options: crawls.map((crawl) => ({ value: crawl.crawl_id, text: nameOf(crawl) })),
    },
    {
      name: 'finding',
      label: 'finding',
      any: 'any',
      options: Object.entries(FINDINGS).map(([value, text]) => ({ value, text })),
    },
  ])}</div>
${drawPending([findings])}
${answerFigure('Where old URLs lead now', findings, {
  rows: html`${findingsTable(document, path, query)}<p class="facts">${daysText(document)}</p>`,
  empty: 'Each page of the previous crawl still answers at its address.',
})}
${
  findings.rows.length > 0 &&
  html`${answerFigure(
    `${counted(paging.total, 'old URL')}${document.finding === null ? '' : `: ${findingName(document.finding)}`}`,
    urls,
    { rows: urlsTable(project_id, urls), empty: 'No old URL has this finding.' },
  )}
${drawPaging(paging, { path, query })}`
}
<p class="facts">For a list of old URLs, in a terminal: <code>crawlhouse query --question q24 --from urls.txt -p ${shellWord(`project=${project_id}`)}${flags}</code></p>
`;
}

/** Returns the days of the clicks. */
function daysText({ findings: { rows }, crawls }: Migration): string {
  const [row] = rows;
  if (row === undefined) return '';
  const previous = crawls.find(({ crawl_id }) => crawl_id === row.previous_crawl_id);
  const since = previous === undefined ? 'no previous crawl' : `the previous crawl, ${crawlName(previous)}`;
  const { days_before: before, days_after: after, clicks_change_reason: why } = row;
  if (why !== null)
    return `Compared with ${since}. Clicks before and after are not compared: ${String(why)}.`;
  const days = counted(Number(before), 'day');
  return `Compared with ${since}. Clicks before and after cover ${days} each${before === after ? ', the same days of the week' : ''}.`;
}

function findingsTable({ findings: { rows } }: Migration, path: string, query: URLSearchParams): Html {
  return table(
    'Findings of old URLs',
    [
      {
        name: 'finding',
        cell: ({ finding }) =>
          html`<a href="${withQuery(path, query, { finding: String(finding), page: null })}">${findingName(finding)}</a>`,
      },
      number('old URLs', ({ old_urls }) => shownValue(old_urls)),
      number('clicks before', ({ clicks_before }) => shownValue(clicks_before)),
      number('clicks at risk', ({ clicks_at_risk }) => shownValue(clicks_at_risk)),
      number('change', ({ clicks_change }) => signedValue(clicks_change)),
    ],
    rows,
    '',
  );
}

function urlsTable(project: string, { rows }: FigureAnswer): Html {
  const status = (value: unknown): string | null => (value === null ? null : String(value));
  const way = ({ hops, is_temporary, old_pages }: WarehouseRow): string =>
    [
      counted(Number(hops), 'hop'),
      ...(is_temporary === true ? ['temporary'] : []),
      ...(Number(old_pages) > 1 ? [`one of ${countText(Number(old_pages))} pages`] : []),
    ].join(', ');
  return table(
    'Old URLs',
    [
      { name: 'old URL', cell: ({ old_url }) => urlLink(project, String(old_url)) },
      {
        name: 'finding',
        cell: ({ finding, reason }) =>
          reason === null
            ? findingName(finding)
            : `${findingName(finding)}: ${String(reason).replaceAll('_', ' ')}`,
      },
      number('status', ({ status_code }) => status(status_code)),
      {
        name: 'new URL',
        cell: ({ new_url }) => (new_url === null ? null : urlLink(project, String(new_url))),
      },
      number('its status', ({ new_status_code }) => status(new_status_code)),
      { name: 'way', cell: (row) => (row.new_url === null ? null : way(row)) },
      number('clicks at risk', ({ clicks_at_risk }) => shownValue(clicks_at_risk)),
      number('before', ({ clicks_before }) => shownValue(clicks_before)),
      number('after', ({ clicks_after }) => shownValue(clicks_after)),
    ],
    rows,
    '',
  );
}

const number = (name: string, cell: TableColumn<WarehouseRow>['cell']): TableColumn<WarehouseRow> => {
  return { name, isNumber: true, cell };
};
