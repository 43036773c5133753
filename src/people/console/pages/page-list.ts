import { familyOf } from '../../../answers/explore/pages/page-conditions.ts';
import { filterOfQuery, pagesCommand } from '../../../answers/explore/pages/page-filter.ts';
import { type PageStatement, pageStatement } from '../../../answers/explore/pages/page-statement.ts';
import { CRAWL_NAMES } from '../../../project/model/crawl-name.ts';
import type { Readers } from '../desk/desk.ts';
import { readAnswer } from '../desk/read-answer.ts';
import { drawPageList } from './draw-page-list.ts';
import { page } from './page.ts';
import { PageList, withAdded } from './page-list-document.ts';

/** What is read once a publication goes on when the person who asked leaves. */
const UNTIL_READ = new AbortController().signal;
const MOST_CRAWLS = 50;
const MOST_SEGMENTS = 200;

export const PAGE_LIST = page<PageList>({
  path: '/projects/:project_id/pages',
  summary: 'The pages of a crawl that a filter lets through.',
  query: {
    crawl: `One of: ${CRAWL_NAMES}; without it, the main crawl.`,
    issue: 'Only pages with this issue.',
    change:
      'Since the crawl before: added, removed, changed (in any field) or a column; of an issue: new, fixed or remaining.',
    since: 'The crawl that change compares with.',
    segment: 'Only pages of this first directory or segment.',
    segmentation: 'The segmentation of the segment.',
    COLUMN: 'Only pages whose column is so, as in depth=gte:4.',
    where: 'Only pages for which this condition in SQL holds.',
    sort: 'A column; COLUMN desc: the largest first.',
    columns: 'More columns to show, with commas between.',
    page: 'The page of 100 rows, from 1.',
  },
  schema: PageList,
  async read({ path, query }, desk, signal) {
    const project_id = path.project_id ?? '';
    const asked = withAdded(query);
    const filter = filterOfQuery(project_id, asked);
    const statement = await desk.once(`pages: ${JSON.stringify(filter)}`, () =>
      desk.warehouse.use((warehouse) => pageStatement(warehouse, filter, UNTIL_READ)),
    );
    const number = Number(asked.get('page') ?? 1);
    const view = {
      ...{ filter: null, sort: null, count: statement.count },
      page: Number.isInteger(number) && number > 0 && number < 1e7 ? number : 1,
    };
    const parameters = [...statement.parameters].map(([name, value]) => {
      return { name, type: 'text', default: null, description: '', value };
    });
    const asking = { question: null, sql: statement.sql, parameters };
    const key = `pages: ${JSON.stringify([asking, view.page])}`;
    const answer = await desk.onceAsked(key, signal, (until) =>
      readAnswer(desk.warehouse, asking, view, until),
    );
    // The rows may be counted in time when the page is asked for again.
    if (answer.total === null) desk.forget(key);
    const { crawl, since, sql, inlinks } = statement;
    return {
      project_id: crawl.project_id,
      project_name: crawl.project,
      crawl_id: crawl.crawl_id,
      ended_at: crawl.ended_at,
      since,
      issue: filter.issue === undefined ? null : await issueOf(filter.issue, crawl.project_id, desk),
      conditions: [...filter.conditions],
      where: [...filter.where],
      columns: [...answer.columns],
      rows: answer.rows.map((row) => [...row]),
      ...{ page: view.page, more: answer.more, total: answer.total, seconds: answer.seconds, sql, inlinks },
      parameters: Object.fromEntries(statement.parameters),
      command: pagesCommand(filter),
      choices: await choicesOf(statement, desk),
    };
  },
  draw: drawPageList,
});

async function issueOf(issue: string, project: string, desk: Readers): Promise<PageList['issue']> {
  const [row] = await desk.rowsOnce(
    `SELECT issue, title, severity, definition, why_it_matters, fix, source 
     FROM mart.project_issues WHERE project_id = $project AND issue = $issue`,
    new Map(Object.entries({ project, issue })),
  );
  return (row ?? null) as PageList['issue'];
}

async function choicesOf({ crawl, types }: PageStatement, desk: Readers): Promise<PageList['choices']> {
  const own = new Map([['crawl', crawl.crawl_id]]);
  const crawls = await desk.rowsOnce(
    `SELECT crawl_id, ended_at FROM mart.crawls WHERE project_id = $project AND has_pages
     ORDER BY ended_at DESC NULLS LAST, crawl_id LIMIT ${MOST_CRAWLS}`,
    new Map([['project', crawl.project_id]]),
  );
  const segments = await desk.rowsOnce(
    `SELECT segmentation, segment FROM mart.crawl_segments
     WHERE crawl_id = $crawl AND segmentation <> '(site)' AND segment IS NOT NULL
     ORDER BY segmentation = '(directory)', segmentation, pages DESC, segment LIMIT ${MOST_SEGMENTS}`,
    own,
  );
  const issues = await desk.rowsOnce(
    `SELECT changes.issue, issues.title FROM mart.issue_changes AS changes
     JOIN mart.issues AS issues ON issues.issue = changes.issue
     WHERE changes.crawl_id = $crawl AND changes.pages > 0 ORDER BY issues.title`,
    own,
  );
  return {
    crawls: crawls as unknown as PageList['choices']['crawls'],
    segments: segments as unknown as PageList['choices']['segments'],
    issues: issues as unknown as PageList['choices']['issues'],
    columns: [...types].map(([name, type]) => ({ name, kind: familyOf(type) })),
  };
}
