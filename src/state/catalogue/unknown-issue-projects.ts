import type { Connection } from '../../core/duckdb.ts';
import { didYouMean } from '../../core/nearest-name.ts';
import type { IssueSettings } from '../../project/settings/issue-settings.ts';
import { hasColumns } from './catalog.ts';
import { knownProjects } from './known-projects.ts';

/** A project that the setting `issues` names and the warehouse does not have. */
export interface UnknownIssueProject {
  readonly message: string;
  readonly hint: string;
}

/** Empty where nothing is loaded yet, or the names of projects are not: then nobody knows. */
export async function unknownIssueProjects(
  connection: Connection,
  { projects = {} }: IssueSettings,
  signal: AbortSignal,
): Promise<readonly UnknownIssueProject[]> {
  const named = Object.keys(projects);
  if (named.length === 0 || !(await hasColumns(connection, 'raw.projects', ['id', 'name']))) return [];
  const known = await knownProjects({ rows: (sql) => connection.jsonRows(sql) }, signal);
  if (known.length === 0) return [];
  return named
    .filter((project) => !known.includes(project))
    .map((project) => ({
      message: `issues.projects.${project}: the warehouse has no project ${project}, so these settings change nothing`,
      hint: `${didYouMean(project, known)}crawlhouse query "SELECT project_id, project_name FROM mart.projects"`,
    }));
}
