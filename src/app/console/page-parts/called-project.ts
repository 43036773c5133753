import { z } from 'zod';
import { nearNames } from '../../../core/text/nearest-name.ts';
import type { Typed } from '../../../core/text/typed-rows.ts';
import type { Readers } from '../readers/readers.ts';
import { NotFound } from './console-page.ts';

const CalledProject = z.strictObject({
  project_id: z.string(),
  project_name: z.string().nullable(),
  start_url: z.string().nullable(),
});
type CalledProject = Typed<typeof CalledProject>;

/** Returns the project with this identifier, or else those with this name. */
export async function projectsCalled(readers: Readers, wanted: string): Promise<readonly CalledProject[]> {
  const rows = await readers.rowsOnce(
    CalledProject,
    `SELECT project_id, coalesce(max(CASE WHEN place = 1 THEN called END), max(called)) AS project_name,
       max(address) AS start_url
     FROM (
       SELECT project_id, project_name AS called, start_url AS address, 1 AS place FROM mart.projects
       UNION ALL SELECT project_id, project_name, NULL, 2 FROM mart.crawls) AS named
     WHERE project_id = $project OR called = $project
     GROUP BY project_id ORDER BY project_id`,
    new Map([['project', wanted]]),
  );
  const exact = rows.filter(({ project_id }) => project_id === wanted);
  return exact.length > 0 ? exact : rows;
}

/**
 * Returns the project that a page's URL refers to, by identifier or name.
 *
 * @throws NotFound with similar names
 */
export async function calledProject(readers: Readers, wanted: string): Promise<CalledProject> {
  const [one, ...others] = await projectsCalled(readers, wanted);
  if (one === undefined) throw await notFound(readers, wanted);
  if (others.length === 0) return one;
  const ids = [one, ...others].map(({ project_id }) => project_id).join(', ');
  throw new NotFound(`Several projects have the name ${wanted}. Use an identifier: ${ids}.`);
}

async function notFound(readers: Readers, wanted: string): Promise<NotFound> {
  const rows = await readers.rowsOnce(
    CalledProject.omit({ start_url: true }),
    'SELECT DISTINCT project_id, project_name FROM mart.projects',
  );
  const names = new Map(rows.map((row) => [String(row.project_name), String(row.project_id)]));
  const near = nearNames(wanted, [...names.keys(), ...names.values()]);
  const maybe =
    near.length === 0 ? '' : ` Did you mean ${near.map((one) => names.get(one) ?? one).join(', ')}?`;
  return new NotFound(`There is no project ${wanted}.${maybe}`);
}
