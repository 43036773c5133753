import { CRAWL_NAMES } from '../../../../etl/project/model/crawl-name.ts';
import { CHOSEN, chosenBy, rowsOf } from '../../../answers/explore/chosen-crawls.ts';
import { pagingOf } from '../../layout/paging.ts';
import { readFigure, readStatement } from '../../page-parts/answer-figure.ts';
import { calledProject } from '../../page-parts/called-project.ts';
import { NotFound, page } from '../../page-parts/console-page.ts';
import { PAGE_ROWS } from '../../readers/read-answer.ts';
import type { Readers } from '../../readers/readers.ts';
import { crawlsOf } from './compare-page.ts';
import { drawStructure } from './draw-structure.ts';
import { SORTS, Structure, StructureCrawl } from './structure-document.ts';

export const STRUCTURE = page<Structure>({
  path: '/projects/:project_id/structure',
  summary: 'The folders of a site with the sums of their pages, and its pages by depth.',
  query: {
    crawl: `One of: ${CRAWL_NAMES} (default: the main crawl).`,
    folder: 'The folder whose content is listed, as in /shop/ (default: /).',
    sort: `${SORTS.join(', ')}; a leading minus reverses the order (default: -pages).`,
    page: 'The page of 100 folders, from 1.',
    wait: '1: wait for both answers, even slow ones.',
  },
  schema: Structure,
  async read({ path, query }, readers) {
    const { project_id, project_name } = await calledProject(readers, path.project_id ?? '');
    const crawl = await crawlCalled(readers, project_id, query.get('crawl') || undefined);
    const folder = folderOf(query.get('folder'));
    const sort = sortOf(query.get('sort'));
    const { from, page } = pagingOf(query.get('page'), Number.MAX_SAFE_INTEGER, PAGE_ROWS);
    const asked = { isSlow: true, isPatient: query.has('wait') };
    const given = { project: project_id, crawl: crawl.crawl_id, folder };
    const [folders, depths] = await Promise.all([
      readFigure(readers, {
        ...asked,
        question: 'q35_site_structure',
        given,
        select: (answer) => rowsFrom(answer, sort, from),
      }),
      readStatement(readers, DEPTHS, {
        ...asked,
        given: { crawl: crawl.crawl_id, folder },
        needs: { pages: 1 },
      }),
    ]);
    const total = Number(folders.rows[0]?.folders ?? 0);
    const pages = Math.max(page, Math.ceil(total / PAGE_ROWS));
    const crawls = [...(await crawlsOf(project_id, readers))];
    const paging = { page, pages, total };
    return { project_id, project_name, crawl, crawls, folder, sort, folders, depths, paging };
  },
  draw: (document, { query }) => ({
    title: `Structure of ${document.project_name ?? document.project_id}`,
    body: drawStructure(document, query),
  }),
});

/** @throws NotFound if no crawl of the project has pages */
async function crawlCalled(readers: Readers, project: string, named: string | undefined) {
  const found = await readers.readOnce(
    `structure: crawl ${JSON.stringify([project, named])}`,
    async (warehouse, signal) => {
      const given = await chosenBy({ project, crawl: named }, warehouse, signal);
      const sql = `SELECT chosen.*, crawls.scope_note FROM (${CHOSEN}) AS chosen
        JOIN mart.crawls AS crawls ON crawls.crawl_id = chosen.crawl_id WHERE crawls.has_pages`;
      return await rowsOf(warehouse, StructureCrawl, sql, given, signal);
    },
  );
  const [crawl] = found;
  if (crawl === undefined) throw new NotFound(`No crawl of project ${project} has pages yet.`);
  return crawl;
}

/** Also accepts a folder without one of its slashes. */
function folderOf(asked: string | null): string {
  return `/${asked ?? ''}/`.replace(/^\/{2,}/, '/').replace(/\/+$/, '/');
}

function sortOf(asked: string | null): string {
  const name = asked?.replace(/^-/, '');
  return SORTS.some((one) => one === name) ? (asked ?? '') : '-pages';
}

function rowsFrom(answer: string, sort: string, from: number): string {
  const order = sort.startsWith('-') ? `${sort.slice(1)} DESC` : sort;
  return `SELECT folder, is_subfolder, pages, indexable_pages, error_pages, issues, clicks, search_bot_hits,
     CAST(ranking_from_date AS VARCHAR) AS ranking_from_date, CAST(ranking_to_date AS VARCHAR) AS ranking_to_date,
     CAST(log_from_date AS VARCHAR) AS log_from_date, CAST(log_to_date AS VARCHAR) AS log_to_date,
     count(*) OVER () AS folders
   FROM ${answer}
   ORDER BY ${order} NULLS LAST, folder, is_subfolder
   OFFSET ${from} LIMIT ${PAGE_ROWS}`;
}

/** At the top also pages whose path the crawl does not tell. */
const DEPTHS = `SELECT depth,
  CASE WHEN is_indexable THEN 'indexable' WHEN NOT is_indexable THEN 'not indexable' ELSE 'unknown' END AS indexability,
  count(*) AS pages
FROM mart.pages
WHERE crawl_id = $crawl AND ($folder = '/' OR starts_with(urlpath, $folder))
GROUP BY 1, 2
ORDER BY depth NULLS LAST, indexability`;
