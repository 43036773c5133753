import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findProject } from '../../../../src/etl/project/settings/project.ts';
import { temporaryFolder } from '../../../support/temporary.ts';

test('the project is the nearest parent folder with a schedules.yaml', async () => {
  const outer = await temporaryFolder();
  const inner = join(outer, 'a', 'project');
  await mkdir(join(inner, 'deep', 'deeper'), { recursive: true });
  await writeFile(join(outer, 'schedules.yaml'), '');
  await writeFile(join(inner, 'schedules.yaml'), '');
  expect(findProject(undefined, join(inner, 'deep', 'deeper'))).toBe(inner);
  expect(findProject(undefined, join(outer, 'a'))).toBe(outer);
});

test('a given folder is used without parents, relative to the working directory', async () => {
  const folder = await temporaryFolder();
  await mkdir(join(folder, 'p', 'empty'), { recursive: true });
  await writeFile(join(folder, 'p', 'schedules.yaml'), '');
  expect(findProject('p', folder)).toBe(join(folder, 'p'));
  expect(() => findProject('p/empty', folder)).toThrow(
    expect.objectContaining({ code: 'bad_project', hint: 'crawlhouse init p/empty creates one' }),
  );
});

test('without a project in any parent folder, the error shows how to create one', async () => {
  const folder = await temporaryFolder();
  expect(() => findProject(undefined, folder)).toThrow(
    expect.objectContaining({ code: 'bad_project', hint: expect.stringContaining('crawlhouse init') }),
  );
});
