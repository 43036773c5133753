import { z } from 'zod';
import { counted, countText } from '../../../../core/text/amounts.ts';
import { type Html, html } from '../../../../core/text/html.ts';
import { shellWord } from '../../../../core/text/shell-word.ts';
import type { Typed } from '../../../../core/text/typed-rows.ts';
import { isCrawlFolder } from '../../../../etl/project/settings/settings.ts';
import { WHOLE_SITE } from '../../../answers/explore/page-segments.ts';
import { scopeLines } from '../../../answers/explore/scope-lines.ts';
import { table } from '../../../answers/presentation/html-table.ts';
import { timeText } from '../../../answers/presentation/marks.ts';
import { QUESTIONS } from '../../../answers/report/crawl-answers.ts';
import { ShownIncident, shownIncident } from '../../../operations/alert/incident.ts';
import { readIncidents } from '../../../operations/status/remembered.ts';
import { crawlLink, drawBlocks, projectPath } from '../../layout/addresses.ts';
import { filterForm } from '../../layout/filter-form.ts';
import { projectTabs } from '../../layout/project-tabs.ts';
import { Count, countOrDash } from '../../layout/unit-counts.ts';
import { drawPending, FigureAnswer, readFigure, readStatement } from '../../page-parts/answer-figure.ts';
import { calledProject } from '../../page-parts/called-project.ts';
import {
  chosenSegment,
  DIRECTORY,
  partsOfChosen,
  readSegments,
  Segments,
  segmentChoice,
  segmentNotice,
  withSegment,
} from '../../page-parts/chosen-segment.ts';
import { type PageRequest, page } from '../../page-parts/console-page.ts';
import { readFirstThings } from '../../page-parts/first-things-figure.ts';
import { projectFigures } from '../../page-parts/project-figures.ts';
import { drawNotes, ProjectNotes, readNotes } from '../../page-parts/project-notes.ts';
import type { Readers } from '../../readers/readers.ts';

/** Crawls of a chart: two years of monthly crawls. */
const MOST_CRAWLS = 24;

const Configuration = z.strictObject({
  crawl_config_id: z.string().nullable(),
  crawl_config_name: z.string().nullable(),
  crawls: Count,
  /** Its last complete crawl with pages, or the last one if none is complete; null if no crawl has pages. */
  latest_crawl_id: z.string().nullable(),
});

const Crawl = z.strictObject({
  crawl_id: z.string(),
  crawl_number: Count.nullable(),
  ended_at: z.string().nullable(),
  end_reason: z.string().nullable(),
  is_complete: z.boolean().nullable(),
  is_comparable: z.boolean().nullable(),
  /** Why the crawl does not cover the whole site; null if it does. */
  scope_note: z.string().nullable(),
  is_main: z.boolean(),
  /** Whether charts over time include it. */
  is_in_trends: z.boolean(),
  pages: Count.nullable(),
});

const Project = z.strictObject({
  project_id: z.string(),
  project_name: z.string().nullable(),
  start_url: z.string().nullable(),
  /** The main one first. */
  configurations: z.array(Configuration),
  /** The index of the chosen configuration in `configurations`. */
  configuration: z.number(),
  segments: Segments,
  /** The chosen segment, and its segmentation if the last crawl has it. */
  segment: z.string().nullable(),
  segmentation: z.string().nullable(),
  /** The crawls of the chosen configuration, newest first. */
  crawls: z.array(Crawl),
  /** Current problems of the project, such as a failed crawl: the figures are of the previous crawl. */
  incidents: z.array(ShownIncident),
  notes: ProjectNotes,
  /** Whether the person can crawl the website again here. */
  can_crawl: z.boolean(),
  trend: FigureAnswer,
  statuses: FigureAnswer,
  changes: FigureAnswer,
  funnel: FigureAnswer,
  depths: FigureAnswer,
  findings: FigureAnswer,
  /** Clicks on the pages of the latest crawl, over equally many days just before its own; not by segment. */
  clicks_before: FigureAnswer,
});
type Project = Typed<typeof Project>;

export const PROJECT = page<Project>({
  path: '/projects/:project_id',
  summary: 'One project: its crawls over time, and what to fix first.',
  query: {
    configuration: 'The position of a crawl configuration in the list, from 0 (default: the main one).',
    segment: 'A segment of its pages, as in template:other.',
    segmentation: 'The segmentation, if segment is a name alone.',
    wait: '1: wait for every answer, even a slow one.',
  },
  schema: Project,
  async read(request, readers) {
    const wanted = request.path.project_id ?? '';
    const asked = await readChoices(wanted, request, readers);
    const incidents = await readIncidents(readers.settings, Date.now());
    // A failed run concerns every project.
    const own = incidents.filter(({ project_id }) => [null, asked.project_id].includes(project_id));
    return {
      ...asked,
      incidents: own.map(shownIncident),
      notes: await readNotes(readers.settings.projectDir, asked),
      can_crawl: request.canAct && isCrawlFolder(readers.settings) && asked.start_url !== null,
      ...(await readFigures(asked, readers, request.query.has('wait'))),
    };
  },
  draw: (project, request) => ({
    title: project.project_name ?? project.project_id,
    body: drawProject(project, request),
  }),
});

const NO_CRAWLS = { crawl_config_id: null, latest_crawl_id: null };

type Figures = 'trend' | 'statuses' | 'changes' | 'funnel' | 'depths' | 'findings' | 'clicks_before';
type Choices = Omit<Project, Figures | 'incidents' | 'notes' | 'can_crawl'>;

async function readChoices(wanted: string, { query }: PageRequest, readers: Readers): Promise<Choices> {
  const record = await calledProject(readers, wanted);
  const project = new Map([['project', record.project_id]]);
  const configurations = await readers.rowsOnce(
    Configuration,
    `SELECT crawl_config_id, max(crawl_config_name) AS crawl_config_name, count(*) AS crawls,
       max(CASE WHEN is_latest THEN crawl_id END) AS latest_crawl_id
     FROM mart.crawls WHERE project_id = $project GROUP BY crawl_config_id
     ORDER BY bool_or(is_main) DESC, crawls DESC, crawl_config_id`,
    project,
  );
  const asked = Number(query.get('configuration') ?? 0);
  const configuration = configurations[asked] === undefined ? 0 : asked;
  const { crawl_config_id: config, latest_crawl_id: latest } = configurations[configuration] ?? NO_CRAWLS;
  const crawls = await readers.rowsOnce(
    Crawl,
    `SELECT crawl_id, crawl_number, ended_at, end_reason, is_complete, is_comparable, scope_note, coalesce(is_main, false) AS is_main,
       coalesce(is_in_trends, false) AS is_in_trends, pages
     FROM mart.crawls WHERE project_id = $project AND crawl_config_id IS NOT DISTINCT FROM $config
     ORDER BY ended_at DESC NULLS LAST, crawl_id LIMIT ${MOST_CRAWLS}`,
    new Map([...project, ['config', config]]),
  );
  const segments = await readSegments(readers, latest);
  return { ...record, configurations, configuration, segments, ...chosenSegment(segments, query), crawls };
}

async function readFigures(
  choices: Choices,
  readers: Readers,
  isPatient: boolean,
): Promise<Pick<Project, Figures>> {
  const { project_id, configurations, configuration, segment, segmentation } = choices;
  const crawl = latestOf(choices);
  const given = { project: project_id, ...partsOfChosen(choices) };
  const more = { config: configurations[configuration]?.crawl_config_id ?? null };
  const overCrawls = (figure: keyof typeof OVER_CRAWLS): Promise<FigureAnswer> =>
    readFigure(readers, { ...OVER_CRAWLS[figure], given, more, isPatient });
  const within = segment === null ? WHOLE_SITE : { segmentation: segmentation ?? DIRECTORY, segment };
  const slow = { isSlow: true, isPatient };
  const [trend, statuses, changes, funnel, depths, findings, clicks_before] = await Promise.all([
    overCrawls('trend'),
    overCrawls('statuses'),
    overCrawls('changes'),
    overCrawls('funnel'),
    readFigure(readers, { ...DEPTHS, given: { ...given, crawl }, ...slow }),
    readFirstThings(readers, { crawl, ...within, isPatient }),
    readStatement(readers, CLICKS_BEFORE, { given: { project: project_id, crawl }, needs: {}, ...slow }),
  ]);
  return { trend, statuses, changes, funnel, depths, findings, clicks_before };
}

function latestOf({ configurations, configuration }: Choices): string {
  return configurations[configuration]?.latest_crawl_id ?? '';
}

/** The crawls in the charts of a project page. */
const SHOWN = `crawl_id IN (SELECT crawl_id FROM mart.crawls
    WHERE project_id = $project AND crawl_config_id IS NOT DISTINCT FROM $config AND is_in_trends
    ORDER BY ended_at DESC NULLS LAST, crawl_id LIMIT ${MOST_CRAWLS})`;

interface CrawlsFigure {
  readonly question: string;
  readonly isSlow?: boolean;
  readonly select: (answer: string) => string;
}

const OVER_CRAWLS = {
  trend: {
    question: QUESTIONS.trend,
    select: (answer) =>
      `SELECT answer.*, CASE WHEN changed.compared > 0 THEN coalesce(fresh.new_issues, 0) END AS new_issues,
         CASE WHEN answer.segmentation = '(site)' THEN changed.fixed_issues END AS fixed_issues,
         CASE WHEN answer.segmentation = '(site)' THEN changed.missing_issues END AS missing_issues
       FROM (SELECT * FROM ${answer} WHERE ${SHOWN}) AS answer
       LEFT JOIN (
         SELECT crawl_id, count(new_pages) AS compared, CAST(sum(fixed_pages) AS BIGINT) AS fixed_issues,
           CAST(sum(missing_pages) AS BIGINT) AS missing_issues
         FROM mart.issue_changes GROUP BY crawl_id
       ) AS changed ON changed.crawl_id = answer.crawl_id
       LEFT JOIN (
         SELECT crawl_id, segmentation, segment, CAST(sum(new_pages) AS BIGINT) AS new_issues
         FROM mart.issue_priorities GROUP BY crawl_id, segmentation, segment
       ) AS fresh ON fresh.crawl_id = answer.crawl_id AND fresh.segmentation = answer.segmentation
         AND fresh.segment = answer.segment
       ORDER BY answer.ended_at, answer.crawl_id`,
  },
  statuses: {
    question: QUESTIONS.statuses,
    select: (answer) =>
      `SELECT crawl_id, ended_at, status_code_range, CAST(sum(pages) AS BIGINT) AS pages FROM ${answer}
       WHERE ($segment IS NOT NULL OR segment IS NULL) AND ${SHOWN}
       GROUP BY crawl_id, ended_at, status_code_range ORDER BY ended_at, crawl_id, status_code_range`,
  },
  changes: {
    question: QUESTIONS.changes,
    select: (answer) =>
      `SELECT crawl_id, ended_at, change, pages FROM ${answer} WHERE ${SHOWN} ORDER BY ended_at, crawl_id, change`,
  },
  funnel: {
    question: QUESTIONS.funnel,
    isSlow: true,
    select: (answer) =>
      `SELECT crawl_id, ended_at, known, fetched, answered_200, indexable, canonical FROM ${answer}
       WHERE ${SHOWN} ORDER BY ended_at, crawl_id`,
  },
} as const satisfies Readonly<Record<string, CrawlsFigure>>;

/** Returns the days with search results before those of a crawl, equally many. */
const DAYS_BEFORE = (day: string): string =>
  `JOIN (SELECT DISTINCT from_date, to_date FROM mart.crawl_days WHERE crawl_id = $crawl AND kind = 'search') AS span
     ON date_diff('day', ${day}, span.from_date) BETWEEN 1 AND date_diff('day', span.from_date, span.to_date) + 1`;
const CLICKS_BEFORE = `SELECT
  (SELECT nullif(count(*), 0) FROM mart.ranking_days AS days ${DAYS_BEFORE('days.ranking_date')} WHERE days.project_id = $project) AS days,
  (SELECT CAST(sum(shown.clicks) AS BIGINT)
   FROM mart.ranking_performance AS shown ${DAYS_BEFORE('shown.date')}
   WHERE shown.project_id = $project AND shown.url IN (SELECT url FROM mart.pages WHERE crawl_id = $crawl)) AS clicks`;

/** For the latest crawl. */
const DEPTHS = {
  question: 'q10_inrank_by_depth_and_segment',
  select: (answer: string) =>
    `SELECT depth, CAST(sum(pages) AS BIGINT) AS pages,
       round(CAST(sum(average_inrank * pages) AS DOUBLE) / sum(CASE WHEN average_inrank IS NOT NULL THEN pages END), 2) AS average_inrank
     FROM ${answer} GROUP BY depth ORDER BY depth NULLS LAST`,
};

function drawProject(project: Project, request: PageRequest): Html {
  const { query } = request;
  const { project_id, project_name, start_url, configurations, configuration, segments, crawls } = project;
  const { trend, statuses, changes, funnel, depths, findings } = project;
  const choices = [
    {
      name: 'configuration',
      label: 'configuration',
      any: null,
      options: configurations.map(({ crawl_config_name, crawls: count }, place) => ({
        value: String(place),
        text: `${crawl_config_name ?? 'without a name'} (${counted(Number(count), 'crawl')})`,
      })),
    },
    segmentChoice(segments),
  ].filter(({ any, options }) => options.length > (any === null ? 1 : 0));
  const config = configurations[configuration];
  return html`<h1>${project_name ?? project_id}</h1>
<p class="facts">${start_url === null ? null : html`${start_url} · `}${
    config === undefined
      ? null
      : html`configuration ${config.crawl_config_name ?? 'without a name'}, ${counted(Number(config.crawls), 'crawl')}`
  }</p>
${projectTabs(
  project_id,
  'overview',
  configurations.some(({ latest_crawl_id }) => latest_crawl_id !== null),
)}
${project.incidents.map(incidentCard)}
<div class="beginning">${choices.length === 0 ? null : filterForm(projectPath(project_id), withSegment(query, project), choices)}
${project.can_crawl ? html`<p><a class="button main" href="/start?${String(new URLSearchParams({ url: start_url ?? '' }))}">Crawl again</a></p>` : null}</div>
${crawls.length === 0 ? null : segmentNotice(project)}
${crawls.length === 0 ? html`<p class="notice">No crawl of this project is loaded yet. Run <code>crawlhouse run --project ${shellWord(project_id)}</code>.</p>` : null}
${
  crawls.length === 0
    ? null
    : html`${drawBlocks(scopeLines(crawls.find(({ crawl_id }) => crawl_id === latestOf(project))?.scope_note ?? null))}
${leftOutNotice(crawls)}
${drawPending([trend, statuses, changes, funnel, depths, findings, project.clicks_before])}
${projectFigures({ ...project, crawl_id: latestOf(project) })}
${drawNotes(project_id, project.notes, request)}
<h2>Crawls</h2>
${project.segment === null ? null : html`<p class="facts">This table ignores the segment: it shows whole crawls.</p>`}
${crawlsTable(crawls)}
${Number(config?.crawls ?? 0) > crawls.length ? html`<p class="facts">The last ${countText(crawls.length)} crawls.</p>` : null}`
}
`;
}

/** Returns a notice of crawls with pages that charts omit: an incomplete crawl would look as if pages were gone. */
function leftOutNotice(crawls: Project['crawls']): Html | null {
  const [first, ...others] = crawls.filter(({ is_in_trends, pages }) => !is_in_trends && pages !== null);
  if (first === undefined) return null;
  const why = ({ is_comparable }: typeof first): string =>
    is_comparable === false ? 'it ended early' : 'its links or its end are unknown';
  const named = (one: typeof first): Html => html`${crawlLink(one)} (${why(one)})`;
  return html`<p class="notice">The charts leave out ${named(first)}${others.map((other) => html`, ${named(other)}`)}.</p>`;
}

function crawlsTable(crawls: Project['crawls']): Html {
  return table(
    'Crawls',
    [
      { name: 'crawl', cell: (crawl) => crawlLink(crawl) },
      { name: 'ended (UTC)', cell: ({ ended_at }) => timeText(ended_at) },
      { name: 'end', cell: ({ end_reason }) => end_reason },
      {
        name: 'complete',
        cell: ({ is_complete }) =>
          is_complete === null ? null : is_complete ? 'yes' : html`<span class="warn">no</span>`,
      },
      { name: 'pages', isNumber: true, cell: ({ pages }) => countOrDash(pages) },
    ],
    crawls,
    '',
  );
}

export function incidentCard({ title, began, details, hint, list }: ShownIncident): Html {
  const query = list && { question: list.question, 'param.crawl': list.crawl, run: '1' };
  const todo =
    query === undefined
      ? hint
      : html`<a href="/ask?${String(new URLSearchParams(query))}">See ${list?.what}</a>`;
  return html`<article class="incident">
<h2>${title}</h2>
<p class="facts">since ${began === null ? 'an unknown time' : html`${timeText(began)} UTC`}</p>
${details.length === 0 ? null : html`<ul>${details.map((line) => html`<li>${line}</li>`)}</ul>`}
${todo === null ? null : html`<p><strong>To do:</strong> ${todo}</p>`}
</article>
`;
}
