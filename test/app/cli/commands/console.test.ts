import { once } from 'node:events';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { crawlhouse, crawlhouseProcess } from '../../../support/project.ts';
import { temporaryFolder } from '../../../support/temporary.ts';

test('console creates a project only in an empty folder', async () => {
  const folder = await temporaryFolder();
  const child = crawlhouseProcess(folder, ['console', '--port', '0'], {});
  onTestFinished(() => void child.kill('SIGKILL'));
  const [said] = await once(child.stdout, 'data');
  expect(String(said)).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/sign-in\?key=/);
  child.kill('SIGTERM');
  await once(child, 'exit');
  expect(readdirSync(folder)).toEqual(
    expect.arrayContaining(['.env', '.gitignore', 'crawlhouse.yaml', 'pipelines', 'schedules.yaml']),
  );
  const other = await temporaryFolder();
  writeFileSync(join(other, 'notes.txt'), '');
  const refused = await crawlhouse(other, null, ['console', '--port', '0']);
  expect([refused.status, refused.stderr]).toEqual([2, expect.stringContaining('no project folder')]);
  expect(readdirSync(other)).toEqual(['notes.txt']);
});
