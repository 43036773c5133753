import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadModels } from '../../../../src/etl/project/sql/models/load-models.ts';
import { sqlFolders } from '../../../../src/etl/project/sql/models/sql-folders.ts';
import { loadQuestions } from '../../../../src/etl/project/sql/questions/questions.ts';
import { temporaryFolder } from '../../../support/temporary.ts';
import { expectBadModel, modelText } from './model-files.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..', '..');

async function project(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await temporaryFolder();
  for (const [path, content] of Object.entries(files)) {
    await mkdir(join(folder, 'sql', path, '..'), { recursive: true });
    await writeFile(join(folder, 'sql', path), content);
  }
  return folder;
}

test('a project adds models and questions to the shipped ones, and replaces them by name', async () => {
  const projectDir = await project({
    'mart/mine.sql': modelText('mine', { columns: ['x'], sql: 'SELECT 1 AS x' }),
    'other/links.sql': modelText('links', { columns: ['x'], sql: 'SELECT 2 AS x' }),
    'questions/q05_status_codes_by_crawl.sql':
      '/*\ntitle: Mine\nmodel: mart.mine\ndescription: It.\n*/\nFROM mart.mine',
  });
  const folders = sqlFolders({ projectDir, shipped_models: 'all' });
  const models = new Map((await loadModels(folders)).map((model) => [model.name, model.file]));
  expect(models.get('mart.mine')).toBe('sql/mart/mine.sql');
  expect(models.get('mart.links')).toBe('sql/other/links.sql');
  expect(models.get('mart.pages')).toBe('crawlhouse/sql/crawl_pages/pages.sql');
  const questions = await loadQuestions(folders);
  expect(questions.find(({ name }) => name === 'q05_status_codes_by_crawl')?.title).toBe('Mine');
  expect(questions.length).toBeGreaterThan(10);
});

test('a project works without the shipped models, and the package is itself a project', async () => {
  const projectDir = await project({ 'm/a.sql': modelText('a', { columns: ['x'], sql: 'SELECT 1 AS x' }) });
  const own = await loadModels(sqlFolders({ projectDir, shipped_models: 'none' }));
  expect(own.map(({ name }) => name)).toEqual(['mart.a']);
  expect(sqlFolders({ projectDir: ROOT, shipped_models: 'all' }).map(({ shown }) => shown)).toEqual(['sql']);
  expect(sqlFolders({ projectDir: join(projectDir, 'sql'), shipped_models: 'none' })).toEqual([]);
});

test('two models of one name in the same project are refused', async () => {
  const model = modelText('a', { columns: ['x'], sql: 'SELECT 1 AS x' });
  const projectDir = await project({ 'm/a.sql': model, 'n/a.sql': model });
  await expectBadModel(
    loadModels(sqlFolders({ projectDir, shipped_models: 'all' })),
    'sql/n/a.sql:2: a second model mart.a',
    'the first one is sql/m/a.sql',
  );
});
