import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { issuesPage } from '../../scripts/issues-page.ts';
import { loadIssues } from '../../src/etl/project/sql/models/load-issues.ts';
import { sqlFolder } from '../../src/etl/project/sql/models/sql-folders.ts';
import { withSqlFiles } from '../etl/pipeline/transform/model-files.ts';

const explore = await readFile(join(import.meta.dirname, '../../docs/explore.md'), 'utf8');
const issues = await loadIssues([sqlFolder(join(import.meta.dirname, '../../sql'))]);

test('the issues page lists each shipped issue once, with its source', async () => {
  const page = await issuesPage();
  const rows = [...page.matchAll(/^\| `(\w+)` .*\(\[source\]\(http\S+\)\).*$/gm)].map(([, name]) => name);
  expect(rows.toSorted()).toEqual(issues.map(({ name }) => name).toSorted());
  expect(page).toContain(`Each of these ${issues.length} issues`);
});

test('the example in docs/explore.md is an issue that one pass finds', async () => {
  const [, example = ''] = /```sql\n([\s\S]*?)```/.exec(explore) ?? [];
  await withSqlFiles({ 'issues/thin.sql': example }, async (folder) => {
    const [issue] = await loadIssues([sqlFolder(folder)]);
    expect([issue?.name, issue?.severity, issue?.scan?.condition]).toEqual([
      'thin',
      'medium',
      'is_indexable AND word_count < $words',
    ]);
  });
});
