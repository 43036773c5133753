import type { Connection } from '../../../core/duckdb/duckdb.ts';
import { didYouMean } from '../../../core/text/nearest-name.ts';
import type { IssueSettings } from '../../project/settings/issue-settings.ts';
import type { Segmentation } from '../../project/settings/segments.ts';
import { hasColumns } from './catalog.ts';
import { knownProjects } from './known-projects.ts';

/** A project or segment in the settings that the warehouse does not contain. */
interface UnknownSetting {
  readonly message: string;
  readonly hint: string;
}

/**
 * Returns the unknown projects and segments. Empty if nothing is loaded yet, or if the names are not loaded, because
 * nothing can be checked then.
 */
export async function unknownIssueSettings(
  connection: Connection,
  { projects = {}, segments = {} }: IssueSettings,
  signal: AbortSignal,
): Promise<readonly UnknownSetting[]> {
  const owners = [
    { path: 'issues', segments },
    ...Object.entries(projects).map(([name, own]) => ({ path: `issues.projects.${name}`, ...own })),
  ];
  const named = [
    { kind: 'project', path: 'issues.projects', names: Object.keys(projects) },
    ...owners.map(({ path, segments: own = {} }) => ({
      kind: 'segment',
      path: `${path}.segments`,
      names: Object.keys(own),
    })),
  ].filter(({ names }) => names.length > 0);
  if (named.length === 0) return [];
  const known = new Map([
    ['project', await projectNames(connection, signal)],
    ['segment', await segmentNames(connection)],
  ]);
  return named.flatMap(({ kind, path, names }) => {
    const there = known.get(kind) ?? [];
    return (there.length === 0 ? [] : names.filter((name) => !there.includes(name))).map((name) => ({
      message: `${path}.${name}: the warehouse has no ${kind} ${name}, so these settings have no effect`,
      hint: `${didYouMean(name, there)}${LISTED[kind as keyof typeof LISTED]}`,
    }));
  });
}

const LISTED = {
  project: 'crawlhouse query "SELECT project_id, project_name FROM mart.projects"',
  segment: 'crawlhouse query "SELECT DISTINCT segmentation, segment FROM mart.crawl_segments"',
};

async function projectNames(connection: Connection, signal: AbortSignal): Promise<readonly string[]> {
  if (!(await hasColumns(connection, 'raw.projects', ['id', 'name']))) return [];
  return knownProjects({ rows: (sql) => connection.jsonRows(sql) }, signal);
}

/** Returns the segments that settings may name. Saved filters are not among them. */
async function segmentNames(connection: Connection): Promise<readonly string[]> {
  if (!(await hasColumns(connection, 'mart.crawl_segments', ['segmentation', 'segment']))) return [];
  return await connection.column(
    `SELECT DISTINCT segment FROM mart.crawl_segments
     WHERE segmentation NOT IN ('(site)', '(filter)') AND segment IS NOT NULL`,
  );
}

/** Returns the projects in segments.yaml that the warehouse does not contain; none if no project is loaded yet. */
export async function unknownSegmentProjects(
  connection: Connection,
  segmentations: readonly Segmentation[],
  signal: AbortSignal,
): Promise<readonly UnknownSetting[]> {
  const named = segmentations.flatMap(({ name, projects }) =>
    (projects ?? []).map((project) => ({ name, project })),
  );
  if (named.length === 0 || !(await hasColumns(connection, 'raw.projects', ['id', 'name', 'start_url'])))
    return [];
  const names = await knownProjects({ rows: (sql) => connection.jsonRows(sql) }, signal);
  const starts = await connection.column<string>(
    'SELECT DISTINCT start_url FROM raw.projects WHERE start_url IS NOT NULL',
  );
  const hosts = starts.flatMap(hostsOf);
  if (names.length === 0) return [];
  return named
    .filter(({ project }) => !names.includes(project) && !hosts.includes(project.toLowerCase()))
    .map(({ name, project }) => ({
      message: `segments.yaml: ${name}: the warehouse has no project ${project}, so the segmentation has no effect there`,
      hint: `${didYouMean(project, [...names, ...hosts])}crawlhouse query "SELECT project_id, project_name, start_url FROM mart.projects"`,
    }));
}

function hostsOf(url: string): readonly string[] {
  if (!URL.canParse(url)) return [];
  const { host, hostname } = new URL(url);
  return [host, hostname];
}
