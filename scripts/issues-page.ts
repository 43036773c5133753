import { join } from 'node:path';
import { markdownTable } from '../src/core/text/markdown.ts';
import { CATEGORIES, type Issue, loadIssues } from '../src/project/sql/models/issues.ts';
import { sqlFolder } from '../src/project/sql/models/sql-folders.ts';
import { defaultSetting, definitionOf } from '../src/project/sql/models/tune-issues.ts';

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

What may be wrong with a page. Each of these ${count} issues is one file under \`sql/issues/\`. It has the definition, the source, why it
matters, how to mend it and the cases that test it. \`mart.page_issues\` has the pages of each, \`mart.issue_changes\` counts new,
fixed and remaining ones ([warehouse.md](../warehouse.md)). [explore.md](../explore.md#settings-of-issues) says how to switch
one off, set its thresholds, or write your own.

Where sources differ, the definition says whose limit is taken. Most issues of texts and links are asked of indexable pages
only ([definitions.md](../definitions.md#whether-a-page-is-indexable)). A field that a crawl's export lacks gives no issue:
\`mart.issue_changes.pages\` is then NULL.
`;
