import { CrawlhouseError } from '../../core/errors.ts';
import { didYouMean } from '../../core/nearest-name.ts';
import type { CatalogReader } from './catalog.ts';
import { knownProjects } from './known-projects.ts';

/**
 * Holds that the warehouse has the project that a question is asked about: an answer without rows would look as if all
 * were well there.
 *
 * @throws CrawlhouseError `usage`
 */
export async function checkProject(
  parameters: ReadonlyMap<string, string | null>,
  warehouse: CatalogReader,
  signal: AbortSignal,
): Promise<void> {
  const project = parameters.get('project') ?? null;
  if (project === null) return;
  const known = await knownProjects(warehouse, signal);
  if (known.length === 0 || known.includes(project)) return;
  throw new CrawlhouseError('usage', `the warehouse has no project ${project}`, {
    hint: `${didYouMean(project, known)}crawlhouse query "SELECT project_id, project_name FROM mart.projects"`,
  });
}
