import { CrawlhouseError } from '../../core/errors/errors.ts';
import { didYouMean } from '../../core/text/nearest-name.ts';
import { shellWord } from '../../core/text/shell-word.ts';
import { crawlNamed, isRelativeName, nearestNote } from '../../project/model/crawl-name.ts';
import type { CatalogReader } from './catalog.ts';
import { checkSegment } from './check-segment.ts';
import { knownCrawls } from './known-crawls.ts';
import { knownProjects } from './known-projects.ts';

type Texts = ReadonlyMap<string, string | null>;

/**
 * The values of a statement's parameters: `crawl` as an identifier, whatever it was named by. A question's project and
 * crawl must be there: an answer without rows would look as if all were well. Its segment must be of one segmentation.
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
 * URLs of one website would get an answer of each project.
 *
 * @throws CrawlhouseError `usage` where there are several
 */
async function checkSingleProject(warehouse: CatalogReader, signal: AbortSignal): Promise<void> {
  const known = (await knownCrawls(warehouse, { project: null, crawl: null }, signal)) ?? [];
  const projects = [...new Map(known.map((crawl) => [crawl.project_id, crawl.project_name])).entries()];
  if (projects.length < 2) return;
  const names = projects.slice(0, 3).map(([id, name]) => name ?? id);
  throw new CrawlhouseError(
    'usage',
    `the warehouse has ${projects.length} projects: name the one of the URLs`,
    {
      hint: names.map((name) => `-p ${shellWord(`project=${name}`)}`).join(', or '),
    },
  );
}

/**
 * The identifier of the crawl that a name stands for, of one project or of all. The reader says it where that is not of
 * the day that was asked for.
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
  throw new CrawlhouseError('usage', `${asked.crawl}: the warehouse has no mart.crawls to find it in`, {
    hint: 'give the identifier of the crawl; crawlhouse transform makes the models',
  });
}
