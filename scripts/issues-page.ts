import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { markdownTable } from '../src/core/text/markdown.ts';
import { CATEGORIES, type Issue, loadIssues } from '../src/project/sql/models/issues.ts';
import { sqlFolder } from '../src/project/sql/models/sql-folders.ts';
import { defaultSetting, definitionOf } from '../src/project/sql/models/tune-issues.ts';

const ROOT = join(import.meta.dirname, '..');
export const ISSUES_PAGE = join(ROOT, 'docs', 'issues.md');

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
fixed and remaining ones ([warehouse.md](warehouse.md)). This page is written by \`npm run docs:issues\`, and a test sees that it
is current.

Where sources differ, the definition says whose limit is taken. Most issues of texts and links are asked of indexable pages
only ([definitions.md](definitions.md#whether-a-page-is-indexable)). A field that a crawl's export lacks gives no issue:
\`mart.issue_changes.pages\` is then NULL.

## From a figure to its pages

\`\`\`sh
crawlhouse issues --project shop                      # pages now, new and fixed since the crawl before
crawlhouse pages --project shop --issue client_error  # the pages behind a figure
crawlhouse pages --project shop --crawl previous --where 'depth > 3' --where 'word_count < 100' --sort 'inrank_decimal desc'
\`\`\`

Without \`--crawl\` both answer for the main crawl of a project. A condition is SQL on the columns of \`mart.pages\`
([dictionary.md](dictionary.md)); several hold together. Columns that conditions and \`--sort\` name are shown too.
\`pages --json\` gives \`total\`, all pages that were found, and the first \`rows\` (\`--limit\`, 100).

## Settings

\`issues\` in \`crawlhouse.yaml\` switches an issue off, gives it another severity, or sets its thresholds. The tables below
have the names and defaults. What stands under \`projects\`, by identifier or name, is for that project alone; what stands
under \`segments\` is for the pages of that segment, of all projects or of one:

\`\`\`yaml
issues:
  thin: { words: 200 }
  slow: { milliseconds: 1500, severity: high }
  no_images: false
  segments:
    /blog/:
      thin: { words: 500 }
  projects:
    shop:
      thin: { words: 100 }
      no_images: true
      segments:
        product pages:
          thin: false
\`\`\`

A part that a project does not name is that of all projects: \`slow\` is of high severity in \`shop\` too. Of two entries for one
project, by its identifier and by its name, the first counts. The next \`crawlhouse transform\` looks for the issues anew, in every
crawl, so that a line over crawls keeps one measure. An issue that is off has no rows in \`mart.page_issues\` and
\`mart.issue_changes\`. \`mart.project_issues\` has the severity and the definition, with its numbers, for each project;
\`mart.issues\` has those of projects without settings of their own.

A segment is a first directory of URLs, or one of a [segmentation](segments.md), of the service or of segments.yaml; a saved filter is none. It switches
issues and sets thresholds; severity is told of projects. Of several segments that a page is in, one counts: those
of its project come first, each in the order of the file. \`doctor\` and a run warn of a project or segment that the
warehouse does not have.

The limits of Core Web Vitals are those that Google publishes. A middling value ends where a poor one begins, so who sets one
sets the other too. Exports have no interaction to next paint: total blocking time is what measures slow interaction
without people. A page that was not measured has none of these issues. Titles and descriptions are measured in characters,
not in pixels ([why](decisions/title-width.md)).

## An issue of your own

Write a file under \`sql/issues/\` and run \`crawlhouse transform\`. To change what one that ships looks for, give your file its
name:

\`\`\`sql
/*
title: Thin content
severity: medium
category: content
definition: The page is indexable, and word_count is below $words.
source: https://example.org/our-rules
why_it_matters: Our readers expect more.
fix: Write more
evidence: [word_count]
thresholds: {words: {default: 500, unit: words}}
cases: {has: [{is_indexable: true, word_count: 499}], has_not: [{is_indexable: true, word_count: 500}]}
*/
SELECT crawl_id, project_id, url, CAST(word_count AS VARCHAR) || ' words' AS why
FROM mart.pages
WHERE is_indexable AND word_count < $words
\`\`\`

The SELECT gives \`crawl_id\`, \`project_id\`, \`url\` and \`why\`: what was found on the page. Issues of exactly this form, a condition
on \`mart.pages\`, are found in one pass over the pages and have \`cases\`; any other SELECT over models works too. \`evidence\` names
the columns of \`mart.pages\` that show it. \`thresholds\` has the numbers that settings may replace: \`$words\` stands for one, in
the SELECT and in the definition. \`is_by_days: true\` is for issues of hits or search results: they are looked for in
the latest crawls only.
`;

if (import.meta.main) await writeFile(ISSUES_PAGE, await issuesPage());
