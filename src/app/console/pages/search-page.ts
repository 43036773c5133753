import { z } from 'zod';
import { counted, durationText } from '../../../core/text/amounts.ts';
import { type Html, html } from '../../../core/text/html.ts';
import { type Typed, typedRows } from '../../../core/text/typed-rows.ts';
import { pagesAddress } from '../../answers/explore/pages/page-filter.ts';
import {
  MOST_FOUND,
  SearchedCrawl,
  SearchedPage,
  searchCrawls,
  searchPages,
} from '../../answers/explore/search-warehouse.ts';
import { crawlLink, projectLink, urlLink } from '../layout/addresses.ts';
import { page } from '../page-parts/console-page.ts';
import { type Readers, withoutModels } from '../readers/readers.ts';

/** A slower search is reported as incomplete. */
const PATIENCE_MS = 900;

const SearchedProject = z.strictObject({ project_id: z.string(), project: z.string() });

const SearchedIssue = z.strictObject({
  issue: z.string(),
  title: z.string(),
  project_id: z.string(),
  project: z.string(),
  pages: z.number(),
});

const Search = z.strictObject({
  text: z.string(),
  projects: z.array(SearchedProject),
  crawls: z.array(SearchedCrawl),
  /** Pages of main crawls whose URL begins with the text, or else those whose URL or title contains it. */
  pages: z.array(SearchedPage),
  /** Whether it ended before all pages were searched. */
  is_cut: z.boolean(),
  /** Issues of pages of a main crawl, those with the most pages first. */
  issues: z.array(SearchedIssue),
  questions: z.array(z.strictObject({ name: z.string(), title: z.string() })),
});
type Search = Typed<typeof Search>;

export const SEARCH = page<Search>({
  path: '/search',
  summary: 'Finds pages, projects, crawls, issues and questions by a part of their name.',
  query: { q: 'A URL or its beginning, part of a URL or title, or a name.' },
  schema: Search,
  async read({ query }, readers, signal) {
    const text = (query.get('q') ?? '').trim();
    if (text === '') return { text, is_cut: false, ...NONE };
    const holds = (...names: (string | null)[]): boolean =>
      names.some((name) => name?.toLowerCase().includes(text.toLowerCase()));
    const given = new Map([['text', text]]);
    const projects = await readers.rows(PROJECTS, signal, given);
    const issues = await readers.rows(ISSUES, signal, given).catch(withoutModels([]));
    const questions = await readers.questions();
    const found = await pagesWithin(readers, text, signal);
    return {
      text,
      projects: typedRows(SearchedProject, projects),
      crawls: await readers.warehouse.use((warehouse) => searchCrawls(warehouse, text, signal)),
      pages: found ?? [],
      is_cut: found === null,
      issues: typedRows(SearchedIssue, issues),
      questions: questions
        .filter(({ name, title }) => holds(name, title))
        .slice(0, MOST_FOUND)
        .map(({ name, title }) => ({ name, title })),
    };
  },
  draw: (search) => ({
    title: search.text === '' ? 'Search' : `Search for ${search.text}`,
    body: drawSearch(search),
  }),
});

const NONE = { projects: [], crawls: [], pages: [], issues: [], questions: [] };
const PROJECTS = `SELECT DISTINCT project_id, coalesce(project_name, project_id) AS project FROM mart.crawls
  WHERE strpos(lower(project_id), lower($text)) > 0 OR strpos(lower(coalesce(project_name, project_id)), lower($text)) > 0
  ORDER BY project, project_id LIMIT ${MOST_FOUND}`;

const ISSUES = `SELECT changes.issue, issues.title, changes.project_id, coalesce(main.project_name, main.project_id) AS project, changes.pages
  FROM mart.issue_changes AS changes
  JOIN mart.issues AS issues ON issues.issue = changes.issue
  JOIN mart.crawls AS main ON main.crawl_id = changes.crawl_id
  WHERE main.is_main AND changes.pages > 0
    AND (strpos(lower(changes.issue), lower($text)) > 0 OR strpos(lower(issues.title), lower($text)) > 0)
  ORDER BY changes.pages DESC, changes.issue, changes.project_id LIMIT ${MOST_FOUND}`;

/** Returns null if it takes too long. */
async function pagesWithin(
  readers: Readers,
  text: string,
  signal: AbortSignal,
): Promise<readonly SearchedPage[] | null> {
  const patience = AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MS)]);
  try {
    return await readers.onceAsked(`search: ${text}`, patience, (until) =>
      readers.warehouse.use((warehouse) => searchPages(warehouse, text, until)),
    );
  } catch (thrown) {
    signal.throwIfAborted();
    if (patience.aborted) return null;
    throw thrown;
  }
}

function drawSearch(search: Search): Html {
  const { text, projects, crawls, pages, is_cut, issues, questions } = search;
  const found = projects.length + crawls.length + pages.length + issues.length + questions.length;
  return html`<h1>Search</h1>
<form class="choose" method="get" action="/search" role="search" aria-label="Search again">
<label>text <input type="search" name="q" value="${text}"></label> <button type="submit">Search</button></form>
${text !== '' && found === 0 && !is_cut ? html`<p class="notice">No results. The search covers the pages of the latest crawls.</p>` : null}
${is_cut ? html`<p class="notice">The search of pages was stopped after ${durationText(PATIENCE_MS / 1000)}. Give the beginning of a URL, filter the pages of a project, or search again.</p>` : null}
${list('Projects', projects, ({ project_id, project }) => projectLink(project_id, project))}
${list('Pages', pages, ({ project_id, project, url, title, status_code }) => html`${urlLink(project_id, url)}<br><span class="facts">${title ?? 'without a title'}, ${status_code === null ? 'no answer' : `status ${status_code}`}, ${project}</span>`)}
${list('Crawls', crawls, (crawl) => html`${crawlLink(crawl)} of ${projectLink(crawl.project_id, crawl.project)}`)}
${list('Issues', issues, ({ issue, title, project_id, project, pages: count }) => html`${title}: <a href="${pagesAddress(project_id, { issue })}">${counted(count, 'page')}</a> of ${projectLink(project_id, project)}`)}
${list('Questions', questions, ({ name, title }) => html`<a href="/ask?${String(new URLSearchParams({ question: name }))}">${title}</a>`)}
`;
}

function list<T>(title: string, rows: readonly T[], line: (row: T) => Html): Html | null {
  if (rows.length === 0) return null;
  const many = rows.length === MOST_FOUND ? `The first ${counted(rows.length, 'result')}.` : null;
  return html`<h2>${title}</h2>${many && html`<p class="facts">${many}</p>`}<ul class="found">${rows.map((row) => html`<li>${line(row)}</li>\n`)}</ul>`;
}
