import { text } from '../../../core/duckdb.ts';
import { isCode, sqlTokens } from '../../../core/sql-tokens.ts';
import { type Issue, type PageScan, SEVERITIES } from './issues.ts';
import type { Model } from './model.ts';

/** The tables of the schema `issues`, which stand for what the files under `sql/issues/` say and find. */
const TABLES: Readonly<Record<string, (issues: readonly Issue[]) => string>> = { files, found };

/** Splits the findings of a page, which are texts. No file writes it. */
const SEPARATOR = 'chr(31)';
/** Arguments of a function at once: engines allow about 127. */
const MOST_ARGUMENTS = 50;
const NUMBER_LENGTH = 4;

/** A model, with SELECTs in place of `issues.files` and `issues.found`. */
export function withIssues(model: Model, issues: readonly Issue[]): Model {
  if (!/\bissues\b/i.test(model.sql)) return model;
  const tokens = sqlTokens(model.sql);
  const code = tokens.flatMap((token, at) => (isCode(token) ? [{ text: token.text.toLowerCase(), at }] : []));
  const texts = tokens.map(({ text }) => text);
  const used = new Set<string>();
  for (const [index, { text, at }] of code.entries()) {
    const [dot, table] = code.slice(index + 1, index + 3);
    if (text !== 'issues' || dot?.text !== '.' || table === undefined || code[index - 1]?.text === '.')
      continue;
    const select = Object.hasOwn(TABLES, table.text) ? TABLES[table.text] : undefined;
    if (select === undefined) continue;
    for (let part = at; part <= table.at; part++) texts[part] = '';
    texts[at] = `(${select(issues)}\n)`;
    used.add(table.text);
  }
  if (used.size === 0) return model;
  return { ...model, sql: texts.join(''), parts: used.has('found') ? issues : [] };
}

/** One row for each issue. */
function files(issues: readonly Issue[]): string {
  const names =
    'issue, title, severity, weight, category, definition, source, why_it_matters, fix, evidence, is_by_days';
  const row = (issue: Issue): string => {
    const { name, title, severity, category, definition, source, why_it_matters, fix, evidence } = issue;
    const described = [category, definition, source, why_it_matters, fix, evidence.join(', ')].map(text);
    const weight = `CAST(${SEVERITIES[severity]} AS DOUBLE)`;
    return `(${[text(name), text(title), text(severity), weight, ...described, issue.is_by_days].join(', ')})`;
  };
  if (issues.length === 0) return `SELECT ${nulls(names.split(', '))} WHERE false`;
  return `SELECT * FROM (VALUES\n${issues.map(row).join(',\n')}\n) AS files(${names})`;
}

const nulls = (names: readonly string[]): string =>
  names.map((name) => `CAST(NULL AS ${TYPES[name] ?? 'VARCHAR'}) AS ${name}`).join(', ');
const TYPES: Readonly<Record<string, string>> = { weight: 'DOUBLE', is_by_days: 'BOOLEAN' };

/**
 * One row for each page and issue that it has: crawl_id, project_id, url, issue, why. Conditions on `mart.pages` are
 * found in one pass over it.
 */
function found(issues: readonly Issue[]): string {
  const scans = issues.flatMap(({ name, scan }) => (scan === null ? [] : [{ name, scan }]));
  const own = issues.flatMap(({ name, scan, sql }) =>
    scan === null
      ? [`SELECT crawl_id, project_id, url, ${text(name)} AS issue, why FROM (${sql}\n) AS own`]
      : [],
  );
  const selects = [...(scans.length === 0 ? [] : [onePass(scans)]), ...own];
  if (selects.length > 0) return selects.join('\nUNION ALL\n');
  return `SELECT ${nulls(['crawl_id', 'project_id', 'url', 'issue', 'why'])} WHERE false`;
}

/** The findings of a page are one text, parted and made rows: each begins with the number of its issue. */
function onePass(scans: readonly { readonly name: string; readonly scan: PageScan }[]): string {
  const number = (index: number): string => text(String(index).padStart(NUMBER_LENGTH, '0'));
  const findings = scans.map(
    ({ scan }, index) => `CASE WHEN ${scan.condition}\nTHEN ${number(index)} || ${whyOf(scan)} END`,
  );
  const groups: string[] = [];
  for (let from = 0; from < findings.length; from += MOST_ARGUMENTS)
    groups.push(joined(findings.slice(from, from + MOST_ARGUMENTS)));
  // A condition beside UNNEST would make DuckDB hold all pages for a join (1.5, EXPLAIN: DELIM_JOIN).
  return `SELECT
  each_finding.crawl_id,
  each_finding.project_id,
  each_finding.url,
  named.issue,
  substr(each_finding.finding, ${NUMBER_LENGTH + 1}) AS why
FROM (
  SELECT page.crawl_id, page.project_id, page.url, each_one.finding
  FROM (
    SELECT crawl_id, project_id, url, split(${groups.length === 1 ? groups[0] : joined(groups)}, ${SEPARATOR}) AS findings
    FROM mart.pages
  ) AS page
  CROSS JOIN UNNEST(page.findings) AS each_one(finding)
) AS each_finding
JOIN (VALUES ${scans.map(({ name }, index) => `(${number(index)}, ${text(name)})`).join(', ')}) AS named(number, issue)
  ON named.number = substr(each_finding.finding, 1, ${NUMBER_LENGTH})`;
}

/** Without the separator; a plain text has none. */
const whyOf = ({ why }: PageScan): string =>
  /^'[\w ,.:;()%-]*'$/.test(why) ? why : `replace(coalesce(${why}\n, ''), ${SEPARATOR}, ' ')`;

const joined = (parts: readonly string[]): string => `concat_ws(${SEPARATOR}, ${parts.join(',\n')})`;
