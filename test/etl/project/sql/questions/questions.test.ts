import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sqlFolder } from '../../../../../src/etl/project/sql/models/sql-folders.ts';
import { loadQuestions, TASKS } from '../../../../../src/etl/project/sql/questions/questions.ts';
import { temporaryFolder } from '../../../../support/temporary.ts';

const question = (title: string): string =>
  `/*\ntitle: ${title}\nmodel: mart.pages\ndescription: Something.\n*/\nSELECT 1 AS one\n`;

test('each shipped question belongs to one task, and each task has one', async () => {
  const shipped = await loadQuestions([sqlFolder(join(import.meta.dirname, '../../../../../sql'))]);
  const tasks = new Set(shipped.map(({ task }) => task));
  expect(TASKS.filter((task) => !tasks.has(task))).toEqual(['Other']);
});

test('a long-running process parses a changed file again', async () => {
  const folder = await temporaryFolder();
  await mkdir(join(folder, 'questions'));
  const write = (name: string, title: string): Promise<void> =>
    writeFile(join(folder, 'questions', `${name}.sql`), question(title));
  await write('q1', 'First');
  await write('q2', 'Second');
  const before = await loadQuestions([sqlFolder(folder)]);
  await write('q2', 'Changed');
  const after = await loadQuestions([sqlFolder(folder)]);
  expect(after.map(({ title }) => title)).toEqual(['First', 'Changed']);
  expect(after.map((one, place) => one === before[place])).toEqual([true, false]);
});
