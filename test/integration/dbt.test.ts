import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { codeBlocks } from '../support/code-blocks.ts';
import { crawlhouse, projectFolder, runProject, sandboxFor } from '../support/project.ts';
import { installPython } from '../support/python-environment.ts';

const PACKAGES = ['dbt-core==1.11.16', 'dbt-duckdb==1.11.1'];

/** dbt's copy has the rows of the model, in the publication that this dbt reads. */
const SAME = `SELECT * FROM (
  (SELECT * FROM {{ ref('page_issues') }} EXCEPT ALL SELECT * FROM {{ source('mart', 'page_issues') }})
  UNION ALL (SELECT * FROM {{ source('mart', 'page_issues') }} EXCEPT ALL SELECT * FROM {{ ref('page_issues') }}))`;

test('dbt builds and tests all sources of docs --dbt, and follows later publications', async ({ skip }) => {
  const python = await installPython('dbt', PACKAGES).catch((error: Error) => skip(error.message));
  const sandbox = await sandboxFor({
    generate: [
      'projects=2,crawls=2,pages=40,links=120,structured_data=20,log_days=3,events=60,ranking_days=3',
    ],
  });
  const folder = await projectFolder();
  await runProject(folder, sandbox);
  const dbt = join(folder, 'dbt');
  const block = await codeBlocks('dbt.md');
  await mkdir(join(dbt, 'models'), { recursive: true });
  await mkdir(join(dbt, 'tests'));
  for (const [file, text] of [
    ['profiles.yml', 'type: duckdb'],
    ['dbt_project.yml', 'profile: acme'],
    ['models/page_issues.sql', "source('mart', 'page_issues')"],
    ['models/issues_by_crawl.sql', "ref('page_issues')"],
  ] as const)
    await writeFile(join(dbt, file), block(text));
  await writeFile(join(dbt, 'tests/same_issues.sql'), SAME);
  const written = await crawlhouse(folder, sandbox, ['docs', '--dbt', '--output', 'dbt/models/crawlhouse']);
  expect(written).toMatchObject({ status: 0 });

  const run = (...args: string[]): Promise<{ readonly status: number; readonly output: string }> =>
    new Promise((resolve) => {
      const options = { cwd: dbt, env: { PATH: process.env.PATH, DBT_SEND_ANONYMOUS_USAGE_STATS: 'false' } };
      execFile(join(python, 'bin/dbt'), [...args, '--profiles-dir', '.'], options, (error, stdout, stderr) =>
        resolve({ status: Number(error?.code ?? 0), output: stdout + stderr }),
      );
    });
  const expectBuilt = async (): Promise<void> => {
    const { status, output } = await run('build');
    expect({ status, failed: status === 0 ? '' : output.slice(-6000) }).toEqual({ status: 0, failed: '' });
    expect(output).not.toMatch(/Deprecat|WARN=[1-9]/);
  };
  await expectBuilt();
  const freshness = await run('source', 'freshness');
  expect(freshness).toMatchObject({ status: 0 });
  const { results } = JSON.parse(await readFile(join(dbt, 'target/sources.json'), 'utf8'));
  expect(results.map((one: { unique_id: string }) => one.unique_id)).toContain('source.acme.raw.crawl_pages');

  const asked = await crawlhouse(folder, sandbox, [
    'query',
    'SELECT min(crawl_id) AS id FROM mart.pages',
    '--format',
    'json',
  ]);
  const crawl: string = JSON.parse(asked.stdout)[0].id;
  for (const args of [
    ['run', 'crawl_pages', '--crawl', crawl, '--reload'],
    ['drop', '--crawl', crawl, '--yes'],
    ['transform', '--full'],
  ]) {
    const publication = crawlhouse(folder, sandbox, args);
    await expectBuilt();
    expect(await publication).toMatchObject({ status: 0 });
    await expectBuilt();
  }
});
