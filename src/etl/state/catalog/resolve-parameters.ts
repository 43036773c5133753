import { CrawlhouseError } from '../../../core/errors/errors.ts';
import { didYouMean } from '../../../core/text/nearest-name.ts';
import { shellWord } from '../../../core/text/shell-word.ts';
import { crawlNamed, isRelativeName, nearestNote } from '../../project/model/crawl-name.ts';
import type { CatalogReader } from './catalog.ts';
import { checkSegment } from './check-segment.ts';
import { knownCrawls } from './known-crawls.ts';
import { knownProjects } from './known-projects.ts';

type Texts = ReadonlyMap<string, string | null>;

/**
 * Resolves the values of a statement's parameters: `crawl` becomes an identifier. A question's project and crawl must
 * exist, because an answer without rows would look as if everything were fine. The segment must belong to exactly one
 * segmentation.
 *
 * @throws CrawlhouseError `usage`
 */
export async function resolveParameters(
  { parameters, isQuestion }: { readonly parameters: Texts; readonly isQuestion: boolean },
  warehouse: CatalogReader,
  signal: AbortSignal,
): Promise<Texts> {
  const project = parameters.get('project') ?? null;
  if (project !== null && isQuestion) await checkProject(project, warehouse, signal);
  if (isQuestion) await checkSegment(parameters, warehouse, signal);
  const crawl = parameters.get('crawl') ?? null;
  const isOfUrls = isQuestion && (parameters.get('urls') ?? null) !== null;
  if (isOfUrls && project === null && crawl === null) await checkSingleProject(warehouse, signal);
  if (crawl === null || !(isQuestion || isRelativeName(crawl))) return parameters;
  return new Map([...parameters, ['crawl', await crawlOf(warehouse, { project, crawl }, signal)]]);
}

/** @throws CrawlhouseError `usage` */
async function checkProject(project: string, warehouse: CatalogReader, signal: AbortSignal): Promise<void> {
  const known = await knownProjects(warehouse, signal);
  if (known.length === 0 || known.includes(project)) return;
  throw new CrawlhouseError('usage', `the warehouse has no project ${project}`, {
    hint: `${didYouMean(project, known)}crawlhouse query "SELECT project_id, project_name FROM mart.projects"`,
  });
}

/**
 * Refuses a question without a project if there are several projects. The result would mix URLs of several websites.
 *
 * @throws CrawlhouseError `usage` if there are several
 */
async function checkSingleProject(warehouse: CatalogReader, signal: AbortSignal): Promise<void> {
  const known = (await knownCrawls(warehouse, { project: null, crawl: null }, signal)) ?? [];
  const projects = [...new Map(known.map((crawl) => [crawl.project_id, crawl.project_name])).entries()];
  if (projects.length < 2) return;
  const names = projects.slice(0, 3).map(([id, name]) => name ?? id);
  throw new CrawlhouseError(
    'usage',
    `the warehouse has ${projects.length} projects: name the project of the URLs`,
    { hint: names.map((name) => `-p ${shellWord(`project=${name}`)}`).join(', or ') },
  );
}

/**
 * Returns the identifier of the crawl with this name, in one project or in all. Notifies the reader if the crawl's day
 * differs from the requested day.
 *
 * @throws CrawlhouseError `usage`
 */
export async function crawlOf(
  warehouse: CatalogReader,
  asked: { readonly project: string | null; readonly crawl: string },
  signal: AbortSignal,
): Promise<string> {
  const known = await knownCrawls(warehouse, asked, signal);
  if (known !== null) {
    const crawl = crawlNamed(known, asked.crawl);
    const note = nearestNote(asked.crawl, crawl);
    if (note !== null) warehouse.say?.(note);
    return crawl.id;
  }
  if (!isRelativeName(asked.crawl)) return asked.crawl;
  throw new CrawlhouseError('usage', `${asked.crawl}: the warehouse has no mart.crawls to look it up`, {
    hint: 'use the identifier of the crawl, or build the models: crawlhouse transform',
  });
}
