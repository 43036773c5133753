import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { keepQuestion, type QuestionDraft } from '../../../../src/app/answers/questions/keep-question.ts';
import type { Settings } from '../../../../src/etl/project/settings/settings.ts';
import { sharedFolder } from '../../../support/temporary.ts';
import { projectWithWarehouse } from '../../console/project-with-warehouse.ts';

const MODEL = `/*
name: mart.pages
kind: table
grain: [url]
description: Pages.
columns:
  url: The URL.
*/
SELECT crawl_pages.url FROM raw.crawl_pages AS crawl_pages
`;

const folder = sharedFolder();
let settings: Settings;
beforeAll(async () => {
  settings = await projectWithWarehouse(folder);
  await mkdir(join(settings.projectDir, 'sql', 'mart'), { recursive: true });
  await writeFile(join(settings.projectDir, 'sql', 'mart', 'pages.sql'), MODEL);
});

const draft = (name: string, more: Partial<QuestionDraft> = {}): QuestionDraft => ({
  ...{ name, title: ' Pages ', description: 'All */ pages. ', sql: 'SELECT url\r\nFROM mart.Pages\n' },
  parameters: new Map(),
  ...more,
});

test('a question is written with its model, its parameters and its SQL', async () => {
  const sql = 'SELECT url FROM mart.pages WHERE project_id = $project AND status >= $least';
  const parameters = new Map([['least', { type: 'BIGINT', description: 'Least status.' }]]);
  const question = await keepQuestion(settings, draft('q91_own', { sql, parameters }));
  expect(question).toMatchObject({ name: 'q91_own', title: 'Pages', model: 'mart.pages', sql });
  expect(question.description).toBe('All */ pages.');
  expect(question.parameters.map(({ name, type }) => [name, type])).toEqual([
    ['project', 'VARCHAR'],
    ['least', 'BIGINT'],
  ]);
  const plain = await keepQuestion(settings, draft('q92_plain', { description: 'All pages.' }));
  expect(plain.parameters).toEqual([]);
  const text = await readFile(join(settings.projectDir, 'sql', 'questions', 'q92_plain.sql'), 'utf8');
  expect(text).toBe(
    '/*\ntitle: Pages\nmodel: mart.pages\ndescription: All pages.\n*/\nSELECT url\nFROM mart.Pages\n',
  );
});

test('a name that is invalid or taken, and SQL without a model, are refused', async () => {
  for (const name of ['Q93', '9_pages', '', 'a-b', 'a'.repeat(101), '../x'])
    await expect(keepQuestion(settings, draft(name)), name).rejects.toMatchObject({ code: 'usage' });
  await expect(keepQuestion(settings, draft('q90_pages_by_status'))).rejects.toThrow(
    'the question q90_pages_by_status already exists',
  );
  await expect(keepQuestion(settings, draft('q93_none', { sql: 'SELECT 1' }))).rejects.toThrow(
    'the SQL reads no model',
  );
  await expect(
    keepQuestion(settings, draft('q94_wrong', { sql: 'SELECT url FROM mart.pages WHERE (' })),
  ).rejects.toThrow(/syntax error/);
  await expect(readFile(join(settings.projectDir, 'sql', 'questions', 'q94_wrong.sql'))).rejects.toThrow();
});
