import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { ISSUES_PAGE, issuesPage } from '../../scripts/issues-page.ts';
import { loadIssues } from '../../src/project/sql/models/issues.ts';
import { sqlFolder } from '../../src/project/sql/models/sql-folders.ts';
import { withSqlFiles } from '../pipeline/transform/model-files.ts';

const page = await readFile(ISSUES_PAGE, 'utf8');

test('docs/issues.md has the issues that ship', async () => {
  expect(page, 'npm run docs:issues writes it').toBe(await issuesPage());
});

test('the example of docs/issues.md is an issue that is found in one pass', async () => {
  const [, example = ''] = /```sql\n([\s\S]*?)```/.exec(page) ?? [];
  await withSqlFiles({ 'issues/thin.sql': example }, async (folder) => {
    const [issue] = await loadIssues([sqlFolder(folder)]);
    expect([issue?.name, issue?.severity, issue?.scan?.condition]).toEqual([
      'thin',
      'medium',
      'is_indexable AND word_count < $words',
    ]);
  });
});
