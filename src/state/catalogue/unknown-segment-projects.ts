import type { Connection } from '../../core/duckdb/duckdb.ts';
import { didYouMean } from '../../core/text/nearest-name.ts';
import type { Segmentation } from '../../project/settings/segments.ts';
import { hasColumns } from './catalog.ts';
import { knownProjects } from './known-projects.ts';

/** Projects that segments.yaml names and the warehouse does not have; none where no project is loaded yet. */
export async function unknownSegmentProjects(
  connection: Connection,
  segmentations: readonly Segmentation[],
  signal: AbortSignal,
): Promise<readonly { readonly message: string; readonly hint: string }[]> {
  const named = segmentations.flatMap(({ name, projects }) =>
    (projects ?? []).map((project) => ({ name, project })),
  );
  if (named.length === 0 || !(await hasColumns(connection, 'raw.projects', ['id', 'name', 'start_url'])))
    return [];
  const names = await knownProjects({ rows: (sql) => connection.jsonRows(sql) }, signal);
  const starts = await connection.rows<{ start_url: string }>(
    'SELECT DISTINCT start_url FROM raw.projects WHERE start_url IS NOT NULL',
  );
  const hosts = starts.flatMap(({ start_url }) => hostsOf(start_url));
  if (names.length === 0) return [];
  return named
    .filter(({ project }) => !names.includes(project) && !hosts.includes(project.toLowerCase()))
    .map(({ name, project }) => ({
      message: `segments.yaml: ${name}: the warehouse has no project ${project}, so it has no segments there`,
      hint: `${didYouMean(project, [...names, ...hosts])}crawlhouse query "SELECT project_id, project_name, start_url FROM mart.projects"`,
    }));
}

function hostsOf(url: string): readonly string[] {
  if (!URL.canParse(url)) return [];
  const { host, hostname } = new URL(url);
  return [host, hostname];
}
