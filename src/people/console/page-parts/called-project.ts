import { nearNames } from '../../../core/text/nearest-name.ts';
import type { Readers } from '../desk/desk.ts';
import { NotFound } from './page.ts';

interface CalledProject {
  readonly project_id: string;
  readonly project_name: string | null;
  readonly start_url: string | null;
}

/** The project that has this identifier, else those of this name. */
export async function projectsCalled(desk: Readers, wanted: string): Promise<readonly CalledProject[]> {
  const rows = await desk.rowsOnce<CalledProject>(
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
 * The project that the address of a page names, by identifier or name.
 *
 * @throws NotFound with the names that are near
 */
export async function calledProject(desk: Readers, wanted: string): Promise<CalledProject> {
  const [one, ...others] = await projectsCalled(desk, wanted);
  if (one === undefined) throw await notFound(desk, wanted);
  if (others.length === 0) return one;
  const ids = [one, ...others].map(({ project_id }) => project_id).join(', ');
  throw new NotFound(`Several projects are called ${wanted}: name one by its identifier, ${ids}.`);
}

async function notFound(desk: Readers, wanted: string): Promise<NotFound> {
  const rows = await desk.rowsOnce('SELECT DISTINCT project_id, project_name FROM mart.projects');
  const names = new Map(rows.map((row) => [String(row.project_name), String(row.project_id)]));
  const near = nearNames(wanted, [...names.keys(), ...names.values()]);
  const maybe =
    near.length === 0 ? '' : ` Did you mean ${near.map((one) => names.get(one) ?? one).join(', ')}?`;
  return new NotFound(`There is no project ${wanted}.${maybe}`);
}
