import { text } from '../../../../core/duckdb/duckdb.ts';
import { SEVERITIES } from '../../settings/issue-settings.ts';
import { giveTables } from '../text/given-tables.ts';
import { replaceThresholds } from '../text/thresholds.ts';
import type { PageScan } from './load-issues.ts';
import type { Model, ModelPart } from './model.ts';
import {
  definitionOf,
  numberText,
  segmentWords,
  type TunedIssue,
  type TunedIssues,
  withNumbers,
} from './tune-issues.ts';

/** Separates the findings of a page, which are strings. It occurs in no file. */
const SEPARATOR = 'chr(31)';
/** Separates the related URL of a finding from its text. */
const URL_END = 'chr(30)';
/** The maximum number of conditions in one pass over the pages, because engines limit code and arguments. */
const MOST_CONDITIONS = 60;
const NUMBER_LENGTH = 4;

/**
 * Returns a model with SELECTs instead of the tables of the schema `issues`: the contents and results of the files
 * under `sql/issues/`.
 */
export function withIssues(model: Model, tuned: TunedIssues): Model {
  const { sql, given } = giveTables(model.sql, 'issues', {
    files: () => files(tuned),
    settings: () => settings(tuned),
    projects: () => projects(tuned),
    found: () => found(tuned),
  });
  if (given.size === 0) return model;
  return { ...model, sql, parts: given.has('found') ? tuned.issues.map(asPart) : model.parts };
}

const asPart = (issue: TunedIssue): ModelPart => ({
  sql: withNumbers(issue.sql, issue.settings[0]),
  place: { file: issue.file, line: issue.sqlLine },
});

/** Returns rows of literals, even for an empty list. */
export function rowsOf(
  columns: Readonly<Record<string, string>>,
  rows: readonly (readonly string[])[],
): string {
  const names = Object.keys(columns);
  const nulls = Object.entries(columns).map(([name, type]) => `CAST(NULL AS ${type}) AS ${name}`);
  if (rows.length === 0) return `SELECT ${nulls.join(', ')} WHERE false`;
  const lines = rows.map((row) => `(${row.join(', ')})`).join(',\n');
  return `SELECT * FROM (VALUES\n${lines}\n) AS given(${names.join(', ')})`;
}

const SETTING = { severity: 'VARCHAR', weight: 'DOUBLE', definition: 'VARCHAR' };

const settingOf = (issue: TunedIssue, tuned: TunedIssues, number: number): string[] => {
  const setting = issue.settings[number] ?? issue.settings[0];
  return [
    text(setting.severity),
    `CAST(${SEVERITIES[setting.severity]} AS DOUBLE)`,
    text(`${definitionOf(issue, setting)}${segmentWords(issue, tuned, number)}`),
  ];
};

/**
 * Returns one row for each issue that is active in some project, with the values for projects without their own
 * settings.
 */
function files(tuned: TunedIssues): string {
  const row = (issue: TunedIssue): string[] => {
    const { name, title, category, source, why_it_matters, fix, owner, evidence, needs } = issue;
    const lists = [evidence.join(', '), needs.join(', '), issue.related ?? ''];
    const texts = [name, title, category, source, why_it_matters, fix, owner, ...lists];
    return [...texts.map(text), String(issue.is_by_days), ...settingOf(issue, tuned, 0)];
  };
  const texts = 'issue title category source why_it_matters fix owner evidence needs related'.split(' ');
  const columns = Object.fromEntries(texts.map((name) => [name, 'VARCHAR']));
  return rowsOf({ ...columns, is_by_days: 'BOOLEAN', ...SETTING }, tuned.issues.filter(isLookedFor).map(row));
}

const isLookedFor = ({ settings }: TunedIssue): boolean => settings.some(({ isOn }) => isOn);

/** Returns one row for each issue and setting: 0 for all projects, then those of `projects`. */
function settings(tuned: TunedIssues): string {
  const numbers = [null, ...tuned.projects].keys().toArray();
  const rows = tuned.issues.flatMap((issue) =>
    numbers.flatMap((number) =>
      isOnSomewhere(issue, tuned, number)
        ? [[String(number), text(issue.name), ...settingOf(issue, tuned, number)]]
        : [],
    ),
  );
  return rowsOf({ number: 'INTEGER', issue: 'VARCHAR', ...SETTING }, rows);
}

/** Returns whether the issue is active for some page of the projects of a setting. */
const isOnSomewhere = ({ settings }: TunedIssue, { projects }: TunedIssues, number: number): boolean =>
  settings.some(({ isOn }, at) => isOn && at % (projects.length + 1) === number);

/** Returns the projects with their own settings, by identifier or name. */
function projects(tuned: TunedIssues): string {
  const rows = tuned.projects.map((project, index) => [String(index + 1), text(project)]);
  return rowsOf({ number: 'INTEGER', project: 'VARCHAR' }, rows);
}

/**
 * Returns one row for each page and issue: crawl_id, project_id, url, issue, why, related_url, relation (of
 * `mart.page_relations`). A few passes over `mart.pages` check the conditions on pages. A page is not related to
 * itself: in that case, related_url is NULL.
 */
function found(tuned: TunedIssues): string {
  const issues = tuned.issues.filter(isLookedFor);
  const scans = issues.flatMap((issue) => (issue.scan === null ? [] : [{ issue, scan: issue.scan }]));
  const own = issues.flatMap((issue) => (issue.scan === null ? ownSelects(issue, tuned) : []));
  const passes: string[] = [];
  for (let from = 0; from < scans.length; from += MOST_CONDITIONS)
    passes.push(onePass(scans.slice(from, from + MOST_CONDITIONS), tuned));
  const selects = [...passes, ...own];
  if (selects.length > 0) return selects.join('\nUNION ALL\n');
  const names = ['crawl_id', 'project_id', 'url', 'issue', 'why', 'related_url', 'relation'];
  return rowsOf(Object.fromEntries(names.map((name) => [name, 'VARCHAR'])), []);
}

/**
 * Returns rows with their setting number, which combines the project's settings (0 if none) and those of the page's
 * first segment.
 */
function numbered(rows: string, { projects, segments }: TunedIssues): string {
  const cases = projects.map(
    (project, at) => `WHEN ${text(project)} IN (rows.project_id, projects.project_name) THEN ${at + 1}`,
  );
  const ofProject = cases.length === 0 ? '0' : `CASE\n      ${cases.join('\n      ')}\n      ELSE 0\n    END`;
  const ofSegment = segments.length === 0 ? '' : ` + ${projects.length + 1} * coalesce(segments.place, 0)`;
  return `SELECT
    rows.*,
    ${ofProject}${ofSegment} AS setting_number
  FROM ${rows} AS rows
  LEFT JOIN mart.projects AS projects ON projects.project_id = rows.project_id${segments.length === 0 ? '' : joinedSegments(segments)}`;
}

/** Returns the first of the segments that a page is in, from 1. */
function joinedSegments(segments: TunedIssues['segments']): string {
  const named = segments.map(
    ({ segment, project }, at) =>
      `(${at + 1}, ${text(segment)}, ${project === null ? 'CAST(NULL AS VARCHAR)' : text(project)})`,
  );
  const from = (rows: string, segment: string): string => `SELECT pages.crawl_id, pages.url, named.place
    FROM ${rows} AS pages
    JOIN (VALUES ${named.join(', ')}) AS named(place, segment, project) ON named.segment = pages.${segment}
    LEFT JOIN mart.projects AS projects ON projects.project_id = pages.project_id
    WHERE named.project IS NULL OR named.project = pages.project_id OR named.project = projects.project_name`;
  return `
  LEFT JOIN (
    SELECT crawl_id, url, min(place) AS place
    FROM (
    ${from('mart.pages', 'url_first_path')}
    UNION ALL
    ${from('mart.page_groups', 'segment')}
    ) AS placed
    GROUP BY crawl_id, url
  ) AS segments ON segments.crawl_id = rows.crawl_id AND segments.url = rows.url`;
}

/** Returns the different SELECTs of an issue that is not a condition on pages, each with its projects. */
function ownSelects(issue: TunedIssue, tuned: TunedIssues): string[] {
  const numbers = Map.groupBy(issue.settings.keys(), (at) => {
    const setting = issue.settings[at];
    return setting?.isOn ? withNumbers(issue.sql, setting) : '';
  });
  const related = issue.isRelation ? "nullif(nullif(related_url, url), '')" : 'CAST(NULL AS VARCHAR)';
  const select = (rows: string): string =>
    `SELECT crawl_id, project_id, url, ${text(issue.name)} AS issue, why, ${related} AS related_url, ${text(issue.related ?? '')} AS relation FROM (${rows}\n) AS own`;
  if (numbers.size === 1) return [...numbers.keys()].map(select);
  return [...numbers].flatMap(([sql, some]) =>
    sql === ''
      ? []
      : [`${select(numbered(`(${sql}\n)`, tuned))} WHERE setting_number IN (${some.join(', ')})`],
  );
}

/** Returns the SQL of a scan. Its thresholds depend on the project if the settings do. */
function tunedSql(sql: string, { settings }: TunedIssue): string {
  return replaceThresholds(sql, (name) => {
    const numbers = settings.map(({ thresholds }) => numberText(thresholds[name] ?? 0));
    const [general = '0', ...own] = numbers;
    const cases = own.flatMap((one, index) => (one === general ? [] : [`WHEN ${index + 1} THEN ${one}`]));
    return cases.length === 0 ? general : `(CASE setting_number ${cases.join(' ')} ELSE ${general} END)`;
  });
}

function tunedCondition(issue: TunedIssue, { condition }: PageScan): string {
  const on = issue.settings.flatMap(({ isOn }, number) => (isOn ? [number] : []));
  const tuned = tunedSql(condition, issue);
  return on.length === issue.settings.length
    ? tuned
    : `setting_number IN (${on.join(', ')}) AND (${tuned}\n)`;
}

interface Scan {
  readonly issue: TunedIssue;
  readonly scan: PageScan;
}

/**
 * Combines the findings of a page in one text, then splits it into rows. Each finding begins with the number of its
 * issue.
 */
function onePass(scans: readonly Scan[], tuned: TunedIssues): string {
  const number = (index: number): string => text(String(index).padStart(NUMBER_LENGTH, '0'));
  const findings = scans.map(
    ({ issue, scan }, index) =>
      `CASE WHEN ${tunedCondition(issue, scan)}\nTHEN ${number(index)} || ${relatedOf(issue, scan)}${whyOf(tunedSql(scan.why, issue))} END`,
  );
  // A condition next to UNNEST would make DuckDB keep all pages for a join (1.5, EXPLAIN: DELIM_JOIN).
  return `SELECT
  each_finding.crawl_id,
  each_finding.project_id,
  each_finding.url,
  named.issue,
  CASE WHEN named.is_relation THEN substr(each_finding.finding, strpos(each_finding.finding, ${URL_END}) + 1)
    ELSE substr(each_finding.finding, ${NUMBER_LENGTH + 1}) END AS why,
  CASE WHEN named.is_relation
    THEN nullif(substr(split_part(each_finding.finding, ${URL_END}, 1), ${NUMBER_LENGTH + 1}), '') END AS related_url,
  named.relation
FROM (
  SELECT page.crawl_id, page.project_id, page.url, each_one.finding
  FROM (
    SELECT crawl_id, project_id, url, split(concat_ws(${SEPARATOR}, ${findings.join(',\n')}), ${SEPARATOR}) AS findings
    FROM ${tuned.projects.length + tuned.segments.length === 0 ? 'mart.pages' : `(${numbered('mart.pages', tuned)}) AS numbered`}
  ) AS page
  CROSS JOIN UNNEST(page.findings) AS each_one(finding)
) AS each_finding
JOIN (VALUES ${scans.map(({ issue, scan }, index) => `(${number(index)}, ${text(issue.name)}, ${scan.related !== null}, ${text(issue.related ?? '')})`).join(', ')}) AS named(number, issue, is_relation, relation)
  ON named.number = substr(each_finding.finding, 1, ${NUMBER_LENGTH})`;
}

/** Returns the related URL of a finding with its end mark; empty for an issue of one page. */
const relatedOf = (issue: TunedIssue, { related }: PageScan): string =>
  related === null
    ? ''
    : `replace(replace(coalesce(nullif(${tunedSql(related, issue)}\n, url), ''), ${SEPARATOR}, ' '), ${URL_END}, ' ') || ${URL_END} || `;

/** Removes the separator. A constant text contains none. */
const whyOf = (why: string): string =>
  /^'[\w ,.:;()%-]*'$/.test(why) ? why : `replace(coalesce(${why}\n, ''), ${SEPARATOR}, ' ')`;
