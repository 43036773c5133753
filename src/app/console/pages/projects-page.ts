import { z } from 'zod';
import { counted } from '../../../core/text/amounts.ts';
import { type Html, html } from '../../../core/text/html.ts';
import type { Typed } from '../../../core/text/typed-rows.ts';
import { type TableColumn, table } from '../../answers/presentation/html-table.ts';
import { timeText } from '../../answers/presentation/marks.ts';
import { crawlLink, projectLink, withQuery } from '../layout/addresses.ts';
import { filterForm } from '../layout/filter-form.ts';
import { drawPaging, Paging, pagingOf } from '../layout/paging.ts';
import { type Count, countOrDash } from '../layout/unit-counts.ts';
import { signedValue } from '../page-parts/answer-figure.ts';
import { page } from '../page-parts/console-page.ts';
import { ProjectLine, projectsNamed, readProjects } from '../page-parts/read-projects.ts';

const SIZE = 50;

const Projects = z.strictObject({
  projects: z.array(ProjectLine),
  paging: Paging,
  /** Without the filter. */
  total: z.number(),
});

const COLUMNS: readonly (TableColumn<ProjectLine> & { readonly key: keyof ProjectLine })[] = [
  { key: 'project_name', name: 'project', cell: (one) => projectLink(one.project_id, one.project_name) },
  { key: 'crawls', name: 'crawls', isNumber: true, cell: ({ crawls }) => countOrDash(crawls) },
  {
    key: 'ended_at',
    name: 'last crawl ended (UTC)',
    cell: ({ crawl_id, ended_at }) => (crawl_id === null ? null : timeText(ended_at)),
  },
  { key: 'pages', name: 'pages', isNumber: true, cell: ({ pages }) => countOrDash(pages) },
  { key: 'pages_change', name: 'change', isNumber: true, cell: (one) => signedValue(one.pages_change) },
  {
    key: 'indexable_pages',
    name: 'indexable',
    isNumber: true,
    cell: (one) => countOrDash(one.indexable_pages),
  },
  { key: 'error_pages', name: 'errors', isNumber: true, cell: (one) => countOrDash(one.error_pages) },
  {
    key: 'crawl_id',
    name: 'crawl',
    cell: ({ crawl_id, ...one }) => crawl_id && crawlLink({ ...one, crawl_id }),
  },
];

export const PROJECTS = page<Typed<typeof Projects>>({
  path: '/projects',
  summary: 'The projects with the figures of their main crawls.',
  query: {
    name: 'Only projects with this text in their name or id.',
    sort: `${COLUMNS.map(({ key }) => key).join(', ')}; a leading minus reverses the order.`,
    page: 'The page, from 1.',
  },
  schema: Projects,
  async read({ query }, readers) {
    const all = await readProjects(readers);
    const found = projectsNamed(all, query.get('name'));
    const { from, ...paging } = pagingOf(query.get('page'), found.length, SIZE);
    const projects = sorted(found, query.get('sort')).slice(from, from + SIZE);
    return { projects, paging, total: all.length };
  },
  draw: (document, { query }) => ({ title: 'Projects', body: drawProjects(document, query) }),
});

/** Unknown values are last in both orders. */
function sorted(projects: readonly ProjectLine[], sort: string | null): readonly ProjectLine[] {
  const [, minus = '', name = ''] = /^(-?)(\w+)$/.exec(sort ?? '') ?? [];
  const column = COLUMNS.find(({ key }) => key === name);
  if (column === undefined) return projects;
  const turn = minus === '' ? 1 : -1;
  return projects.toSorted((a, b) => {
    const [one, other] = [a[column.key], b[column.key]];
    if (one === null || other === null) return Number(one === null) - Number(other === null);
    if (typeof one === 'string') return turn * one.localeCompare(String(other));
    return turn * Number(BigInt(one as Count) - BigInt(other as Count));
  });
}

function drawProjects({ projects, paging, total }: Typed<typeof Projects>, query: URLSearchParams): Html {
  const now = query.get('sort') ?? 'project_name';
  const columns = COLUMNS.map((column) => {
    const order: TableColumn<ProjectLine>['order'] =
      now === column.key ? 'ascending' : now === `-${column.key}` ? 'descending' : undefined;
    const next = now === column.key ? `-${column.key}` : column.key;
    const href = withQuery('/projects', query, { sort: next, page: null });
    return { ...column, ...(order === undefined ? {} : { order }), href };
  });
  return html`<h1>Projects</h1>
${total === 0 ? null : filterForm('/projects', query, [{ name: 'name', label: 'name or id' }])}
${table(
  'Projects',
  columns,
  projects,
  total === 0
    ? html`No project is loaded yet. To load one, run <code>crawlhouse run</code>.`
    : html`No project matches this name. <a href="/projects">All projects</a>`,
)}
<p class="facts">${counted(paging.total, 'project')}. The figures are those of the main crawl, and the change is since the crawl before it.</p>
${drawPaging(paging, { path: '/projects', query })}`;
}
