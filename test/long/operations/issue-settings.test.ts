import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { Check } from '../../../src/core/duckdb/check.ts';
import { startSandbox } from '../../../src/service/sandbox/start-sandbox.ts';
import { crawlhouse, rawProjectFolder, runProject } from '../../support/project.ts';

test('settings for a project missing from the warehouse are reported by doctor and by a run', async () => {
  const sandbox = await startSandbox({ generate: ['projects=1,crawls=1,pages=5,columns=8,seed=91'] });
  onTestFinished(() => sandbox.close());
  const folder = await rawProjectFolder();
  await runProject(folder, sandbox, { pipelines: ['crawl_pages', 'projects'] });
  const told = async () => {
    const { stdout } = await crawlhouse(folder, sandbox, ['doctor', '--json']);
    const { checks } = JSON.parse(stdout) as { checks: Check[] };
    return checks.find(({ name }) => name === 'issues');
  };
  expect((await told())?.message).toBe('no project or segment settings');
  const query = ['query', 'SELECT name FROM raw.projects', '--format', 'json'];
  const [{ name }] = JSON.parse((await crawlhouse(folder, sandbox, query)).stdout) as [{ name: string }];
  const settings = (project: string, issues = '{ thin: false }') =>
    writeFile(join(folder, 'crawlhouse.yaml'), `issues: { projects: { ${project}: ${issues} } }\n`);
  await settings(name);
  expect(await told()).toMatchObject({ status: 'ok' });
  // The folder has no models, so nobody knows its segments.
  await settings(name, '{ segments: { nowhere: {} } }');
  expect(await told()).toMatchObject({ status: 'ok' });
  await settings(`${name}x`);
  const message = `issues.projects.${name}x: the warehouse has no project ${name}x`;
  expect(await told()).toMatchObject({
    status: 'warn',
    message: `${message}, so these settings have no effect`,
    hint: expect.stringContaining(`did you mean ${name}?`),
  });
  expect((await crawlhouse(folder, sandbox, ['run'])).stderr).toContain(message);
});
