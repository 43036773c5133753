import { z } from 'zod';
import { scopeLines } from '../../../answers/explore/scope-lines.ts';
import { WHOLE_SITE } from '../../../answers/explore/segments.ts';
import { QUESTIONS } from '../../../answers/report/crawl-answers.ts';
import { timeText } from '../../../answers/report/marks.ts';
import { table } from '../../../answers/report/table.ts';
import { counted, countText } from '../../../core/text/amounts.ts';
import { type Html, html } from '../../../core/text/html.ts';
import { shellWord } from '../../../core/text/shell-word.ts';
import { ShownIncident, shownIncident } from '../../../operations/alert/incident.ts';
import { readIncidents } from '../../../operations/status/remembered.ts';
import type { Readers } from '../desk/desk.ts';
import { crawlLink, drawBlocks, projectPath } from '../layout/addresses.ts';
import { Count, countOrDash } from '../layout/counts.ts';
import { filterForm } from '../layout/filter-form.ts';
import { projectTabs } from '../layout/project-tabs.ts';
import { drawPending, FigureAnswer, readFigure, readStatement } from '../page-parts/answer-figure.ts';
import { calledProject } from '../page-parts/called-project.ts';
import { readFirstThings } from '../page-parts/first-things.ts';
import { drawNotes, ProjectNotes, readNotes } from '../page-parts/notes.ts';
import { type PageRequest, page } from '../page-parts/page.ts';
import { projectFigures } from '../page-parts/project-figures.ts';
import {
  chosenSegment,
  DIRECTORY,
  partsOfChosen,
  readSegments,
  Segments,
  segmentChoice,
  segmentNotice,
  withSegment,
} from '../page-parts/segments.ts';

/** Crawls of a chart: two years of monthly ones. */
const MOST_CRAWLS = 24;

const Project = z.strictObject({
  project_id: z.string(),
  project_name: z.string().nullable(),
  start_url: z.string().nullable(),
  /** The main one first. */
  configurations: z.array(
    z.strictObject({
      crawl_config_id: z.string().nullable(),
      crawl_config_name: z.string().nullable(),
      crawls: Count,
      /** Its last complete one with pages, or the last one where none is complete; null where no crawl has pages. */
      latest_crawl_id: z.string().nullable(),
    }),
  ),
  /** The place of the chosen one in `configurations`. */
  configuration: z.number(),
  segments: Segments,
  /** The one that was chosen, and its segmentation where the last crawl has it. */
  ...{ segment: z.string().nullable(), segmentation: z.string().nullable() },
  /** Of the chosen configuration, the newest first. */
  crawls: z.array(
    z.strictObject({
      crawl_id: z.string(),
      crawl_number: Count.nullable(),
      ended_at: z.string().nullable(),
      end_reason: z.string().nullable(),
      is_complete: z.boolean().nullable(),
      is_comparable: z.boolean().nullable(),
      /** Why it does not cover the whole site; null where it does. */
      scope_note: z.string().nullable(),
      is_main: z.boolean(),
      /** Whether charts over time have it. */
      is_in_trends: z.boolean(),
      pages: Count.nullable(),
    }),
  ),
  /** What is wrong with the project now, such as a crawl that failed: the figures are of the crawl before. */
  incidents: z.array(ShownIncident),
  notes: ProjectNotes,
  trend: FigureAnswer,
  statuses: FigureAnswer,
  changes: FigureAnswer,
  funnel: FigureAnswer,
  depths: FigureAnswer,
  findings: FigureAnswer,
  /** Clicks on the pages of the latest crawl in as many days just before its own; of no segment. */
  clicks_before: FigureAnswer,
});
type Project = z.infer<typeof Project>;
type Configuration = Project['configurations'][number];

export const PROJECT = page<Project>({
  path: '/projects/:project_id',
  summary: 'One project: its crawls over time, and what to do first.',
  query: {
    configuration: 'The place of a crawl configuration in the list, from 0 (the default: the main one).',
    segment: 'A segment of its pages, as in template:other.',
    segmentation: 'The segmentation of a segment that is named alone.',
    wait: '1: wait for every answer, however long it takes.',
  },
  schema: Project,
  async read(request, desk) {
    const wanted = request.path.project_id ?? '';
    const asked = await readChoices(wanted, request, desk);
    const incidents = await readIncidents(desk.settings, Date.now());
    const own = incidents.filter(({ project_id }) => project_id === asked.project_id);
    return {
      ...asked,
      incidents: own.map(shownIncident),
      notes: await readNotes(desk.settings.projectDir, asked),
      ...(await readFigures(asked, desk, request.query.has('wait'))),
    };
  },
  draw: (project, request) => ({
    title: project.project_name ?? project.project_id,
    body: drawProject(project, request),
  }),
});

const NO_CRAWLS = { crawl_config_id: null, latest_crawl_id: null };

type Figures = 'trend' | 'statuses' | 'changes' | 'funnel' | 'depths' | 'findings' | 'clicks_before';
type Choices = Omit<Project, Figures | 'incidents' | 'notes'>;

async function readChoices(wanted: string, { query }: PageRequest, desk: Readers): Promise<Choices> {
  const record = await calledProject(desk, wanted);
  const project = new Map([['project', record.project_id]]);
  const configurations = await desk.rowsOnce<Configuration>(
    `SELECT crawl_config_id, max(crawl_config_name) AS crawl_config_name, count(*) AS crawls,
       max(CASE WHEN is_latest THEN crawl_id END) AS latest_crawl_id
     FROM mart.crawls WHERE project_id = $project GROUP BY crawl_config_id
     ORDER BY bool_or(is_main) DESC, crawls DESC, crawl_config_id`,
    project,
  );
  const asked = Number(query.get('configuration') ?? 0);
  const configuration = configurations[asked] === undefined ? 0 : asked;
  const { crawl_config_id: config, latest_crawl_id: latest } = configurations[configuration] ?? NO_CRAWLS;
  const crawls = await desk.rowsOnce<Project['crawls'][number]>(
    `SELECT crawl_id, crawl_number, ended_at, end_reason, is_complete, is_comparable, scope_note, coalesce(is_main, false) AS is_main,
       coalesce(is_in_trends, false) AS is_in_trends, pages
     FROM mart.crawls WHERE project_id = $project AND crawl_config_id IS NOT DISTINCT FROM $config
     ORDER BY ended_at DESC NULLS LAST, crawl_id LIMIT ${MOST_CRAWLS}`,
    new Map([...project, ['config', config]]),
  );
  const segments = await readSegments(desk, latest);
  return { ...record, configurations, configuration, segments, ...chosenSegment(segments, query), crawls };
}

async function readFigures(
  choices: Choices,
  desk: Readers,
  isPatient: boolean,
): Promise<Pick<Project, Figures>> {
  const { project_id, configurations, configuration, segment, segmentation } = choices;
  const crawl = latestOf(choices);
  const given = { project: project_id, ...partsOfChosen(choices) };
  const more = { config: configurations[configuration]?.crawl_config_id ?? null };
  const overCrawls = (figure: keyof typeof OVER_CRAWLS): Promise<FigureAnswer> =>
    readFigure(desk, { ...OVER_CRAWLS[figure], given, more, isPatient });
  const within = segment === null ? WHOLE_SITE : { segmentation: segmentation ?? DIRECTORY, segment };
  const slow = { isSlow: true, isPatient };
  const [trend, statuses, changes, funnel, depths, findings, clicks_before] = await Promise.all([
    overCrawls('trend'),
    overCrawls('statuses'),
    overCrawls('changes'),
    overCrawls('funnel'),
    readFigure(desk, { ...DEPTHS, given: { ...given, crawl }, ...slow }),
    readFirstThings(desk, { crawl, ...within, isPatient }),
    readStatement(desk, CLICKS_BEFORE, { given: { project: project_id, crawl }, needs: {}, ...slow }),
  ]);
  return { trend, statuses, changes, funnel, depths, findings, clicks_before };
}

function latestOf({ configurations, configuration }: Choices): string {
  return configurations[configuration]?.latest_crawl_id ?? '';
}

/** The crawls that charts of a project page have. */
const SHOWN = `crawl_id IN (SELECT crawl_id FROM mart.crawls
    WHERE project_id = $project AND crawl_config_id IS NOT DISTINCT FROM $config AND is_in_trends
    ORDER BY ended_at DESC NULLS LAST, crawl_id LIMIT ${MOST_CRAWLS})`;

/** A figure over the crawls of a project: the question, and the rows of its answer that are drawn. */
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

/** The days before those of a crawl, as many as it has, with search results. */
const DAYS_BEFORE = (day: string): string =>
  `JOIN (SELECT DISTINCT from_date, to_date FROM mart.crawl_days WHERE crawl_id = $crawl AND kind = 'search') AS span
     ON date_diff('day', ${day}, span.from_date) BETWEEN 1 AND date_diff('day', span.from_date, span.to_date) + 1`;
const CLICKS_BEFORE = `SELECT
  (SELECT nullif(count(*), 0) FROM mart.ranking_days AS days ${DAYS_BEFORE('days.ranking_date')} WHERE days.project_id = $project) AS days,
  (SELECT CAST(sum(shown.clicks) AS BIGINT)
   FROM mart.ranking_performance AS shown ${DAYS_BEFORE('shown.date')}
   WHERE shown.project_id = $project AND shown.url IN (SELECT url FROM mart.pages WHERE crawl_id = $crawl)) AS clicks`;

/** Of the latest crawl. */
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
      ...{ name: 'configuration', label: 'configuration', any: null },
      options: configurations.map(({ crawl_config_name, crawls: count }, place) => ({
        value: String(place),
        text: `${crawl_config_name ?? 'without a name'} (${counted(Number(count), 'crawl')})`,
      })),
    },
    segmentChoice(segments),
  ].filter(({ any, options }) => options.length > (any === null ? 1 : 0));
  const config = configurations[configuration];
  return html`<h1>${project_name ?? project_id}</h1>
<p class="facts">${start_url === null ? null : html`${start_url} · `}<code>${project_id}</code>${
    config === undefined
      ? null
      : html` · configuration ${config.crawl_config_name ?? 'without a name'}, ${counted(Number(config.crawls), 'crawl')}`
  }</p>
${projectTabs(
  project_id,
  'overview',
  configurations.some(({ latest_crawl_id }) => latest_crawl_id !== null),
)}
${project.incidents.map(incidentCard)}
${choices.length === 0 ? null : filterForm(projectPath(project_id), withSegment(query, project), choices)}
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
${project.segment === null ? null : html`<p class="facts">This table does not follow the choice of segment: it is of whole crawls.</p>`}
${crawlsTable(crawls)}
${Number(config?.crawls ?? 0) > crawls.length ? html`<p class="facts">The last ${countText(crawls.length)} of them.</p>` : null}`
}
`;
}

/** Crawls with pages that no chart has: one that was cut would look as if pages were gone. */
function leftOutNotice(crawls: Project['crawls']): Html | null {
  const [first, ...others] = crawls.filter(({ is_in_trends, pages }) => !is_in_trends && pages !== null);
  if (first === undefined) return null;
  const why = ({ is_comparable }: typeof first): string =>
    is_comparable === false ? 'it ended early' : 'its links or its end are unknown';
  const named = (one: typeof first): Html => html`${crawlLink(one)} (${why(one)})`;
  return html`<p class="notice">The charts leave out ${named(first)}${others.map((one) => html`, ${named(one)}`)}.</p>`;
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

export function incidentCard({ title, began, details, hint }: ShownIncident): Html {
  return html`<article class="incident">
<h2>${title}</h2>
<p class="facts">since ${began === null ? 'an unknown time' : html`${timeText(began)} UTC`}</p>
${details.length === 0 ? null : html`<ul>${details.map((line) => html`<li>${line}</li>`)}</ul>`}
${hint === null ? null : html`<p><strong>To do:</strong> ${hint}</p>`}
</article>
`;
}
