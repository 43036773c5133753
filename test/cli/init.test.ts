import { existsSync } from 'node:fs';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { loadPipelines } from '../../src/config/pipelines.ts';
import { loadSettings } from '../../src/config/settings.ts';
import { temporaryFolder } from '../support/temporary.ts';
import { capture } from './capture.ts';

test('init makes a project folder whose files fit, and keeps secrets out of version control', async () => {
  const folder = join(await temporaryFolder(), 'new', 'project');
  const { code, stderr } = await capture('init', folder);
  expect(code).toBe(0);
  expect(stderr).toContain(`${folder} is ready:\n  cd ${folder}\n`);
  expect(stderr).toContain('crawlhouse crawl https://www.example.com/\n');
  expect(stderr).toContain('put CRAWLHOUSE_BASE_URL and CRAWLHOUSE_ACCESS_TOKEN in .env');
  expect((await readdir(folder)).sort()).toEqual([
    '.env',
    '.gitignore',
    'crawlhouse.yaml',
    'pipelines',
    'schedules.yaml',
    'schemas',
    'sql',
  ]);
  expect((await stat(join(folder, '.env'))).mode & 0o777).toBe(0o600);
  expect((await loadPipelines(folder)).length).toBeGreaterThan(0);
  await writeFile(
    join(folder, '.env'),
    'CRAWLHOUSE_BASE_URL=https://service.example\nCRAWLHOUSE_ACCESS_TOKEN=some-token\n',
  );
  expect(await loadSettings(folder, {})).toMatchObject({
    base_url: 'https://service.example',
    access_token: 'some-token',
  });
  const ignored = await readFile(join(folder, '.gitignore'), 'utf8');
  expect(ignored.split('\n')).toEqual(expect.arrayContaining(['.env', '.crawlhouse/']));
});

test('a folder that is not empty is left alone', async () => {
  const folder = await temporaryFolder();
  await writeFile(join(folder, 'mine.txt'), 'x');
  const { code, stderr } = await capture('init', folder);
  expect([code, stderr]).toEqual([2, expect.stringContaining(`Error: ${folder} is not empty\nTry: `)]);
  expect(existsSync(join(folder, 'schedules.yaml'))).toBe(false);
});

test('without a name the working directory becomes the project', async () => {
  const folder = await temporaryFolder();
  vi.spyOn(process, 'cwd').mockReturnValue(folder);
  onTestFinished(() => void vi.restoreAllMocks());
  expect((await capture('init')).code).toBe(0);
  expect(existsSync(join(folder, 'schedules.yaml'))).toBe(true);
});
