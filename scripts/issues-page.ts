import { join } from 'node:path';
import { markdownTable } from '../src/app/answers/presentation/markdown.ts';
import { CATEGORIES, type Issue, loadIssues } from '../src/etl/project/sql/models/load-issues.ts';
import { sqlFolder } from '../src/etl/project/sql/models/sql-folders.ts';
import { defaultSetting, definitionOf } from '../src/etl/project/sql/models/tune-issues.ts';

const ROOT = join(import.meta.dirname, '..');

/** The page of the issues that ship, by category. */
export async function issuesPage(): Promise<string> {
  const issues = await loadIssues([sqlFolder(join(ROOT, 'sql'))]);
  const sections = CATEGORIES.flatMap((category) => {
    const own = issues.filter((issue) => issue.category === category);
    return own.length === 0 ? [] : [`## ${titleOf(category)}\n`, table(own), ''];
  });
  return [head(issues.length), ...sections].join('\n');
}

function table(issues: readonly Issue[]): string {
  const rows = issues.map((issue) => [
    `\`${issue.name}\``,
    issue.severity,
    `${definitionOf(issue, defaultSetting(issue)).trim()}${issue.is_by_days ? ' Not compared between crawls.' : ''} ([source](${issue.source}))`,
    Object.entries(issue.thresholds)
      .map(
        ([threshold, { default: value, unit }]) =>
          `\`${threshold}: ${value}\`${unit === threshold ? '' : ` (${unit})`}`,
      )
      .join(', '),
  ]);
  const head = ['issue', 'severity', 'a page has it if', 'thresholds'];
  const width = rows.some((row) => row.at(-1) !== '') ? head.length : head.length - 1;
  return markdownTable([head, ...rows].map((row) => row.slice(0, width))).join('\n');
}

const titleOf = (category: string): string =>
  category === 'urls' ? 'URLs' : `${category[0]?.toUpperCase()}${category.slice(1).replaceAll('_', ' ')}`;

const head = (count: number): string => `# Issues

This page lists the issues that crawlhouse finds. Each of these ${count} issues is one file under \`sql/issues/\` with its definition,
source, reason, fix and test cases. \`mart.page_issues\` has the pages of each issue. \`mart.issue_changes\` counts new, fixed and
remaining pages ([warehouse.md](../warehouse.md)). [explore.md](../explore.md#settings-of-issues) explains how to switch an issue
off, set its thresholds, or write your own.

If sources differ, the definition names the source of its limit. Most issues of texts and links apply only to indexable pages
([definitions.md](../definitions.md#whether-a-page-is-indexable)). If a crawl's export lacks a field, its issues are unknown, and
\`mart.issue_changes.pages\` is NULL.
`;
