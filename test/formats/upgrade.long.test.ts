import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { zstdDecompressSync } from 'node:zlib';
import { Ajv } from 'ajv';
import { expect, onTestFinished, test } from 'vitest';
import { documentSchemas } from '../../src/app/cli/reports/documents.ts';
import { WAREHOUSE_VERSION } from '../../src/etl/state/catalog/schema.ts';
import { capture } from '../app/cli/capture.ts';
import { temporaryFolder } from '../support/temporary.ts';
import { ANSWERS, FORMER, formerLog, ORIGIN, QUERIES, serveFormerSite } from './former-project.ts';

const run = promisify(execFile);

/** The project of the former program, in a folder of its own. */
async function formerProject(): Promise<string> {
  const folder = await temporaryFolder();
  const tar = join(folder, 'project.tar');
  await writeFile(tar, zstdDecompressSync(await readFile(FORMER)));
  await run('tar', ['-xf', tar, '-C', folder]);
  return join(folder, 'tea');
}

async function done(project: string, ...argv: string[]): Promise<{ stdout: string; stderr: string }> {
  const { code, stdout, stderr } = await capture(...argv, '--project-dir', project);
  expect([argv[0], code, code === 0 ? '' : stderr]).toEqual([argv[0], 0, '']);
  return { stdout, stderr };
}

async function asked(project: string, sql: string): Promise<Record<string, unknown>[]> {
  return JSON.parse((await done(project, 'query', sql, '--format', 'json')).stdout);
}

async function answers(project: string): Promise<Record<string, unknown>> {
  const found: Record<string, unknown> = {};
  for (const [name, sql] of Object.entries(QUERIES)) found[name] = await asked(project, sql);
  return found;
}

/** Answers without the first of a crawl's days, which now may be without data. */
function sameDays(found: Record<string, unknown>): Record<string, unknown> {
  const hits = (found.hits as Record<string, unknown>[]).map(({ from_date, ...rest }) => rest);
  return { ...found, hits };
}

const crawls = 'SELECT count(*) AS crawls FROM mart.crawls';

test('a project of an earlier version answers as before, announces changes, and continues', async () => {
  const project = await formerProject();
  const before = JSON.parse(await readFile(join(project, ANSWERS), 'utf8'));

  // Its published file is read as it is.
  expect(await answers(project)).toEqual(before);
  const { stdout: upgrade } = await done(project, 'doctor', '--upgrade');
  expect(upgrade).toMatch(
    new RegExp(
      `^the next run upgrades the warehouse from version \\d+ to ${WAREHOUSE_VERSION}, and keeps the `,
    ),
  );

  const { stdout: document } = await done(project, 'doctor', '--upgrade', '--json');
  const fits = new Ajv({ strict: true, allowUnionTypes: true }).compile(
    documentSchemas()['doctor-upgrade.schema.json'] as object,
  );
  fits(JSON.parse(document));
  expect(fits.errors).toBeNull();
  expect(JSON.parse(document)).toMatchObject({
    mart: expect.arrayContaining([
      expect.objectContaining({ change: 'meaning', table: 'mart.crawl_segments' }),
    ]),
    moved: expect.arrayContaining([expect.objectContaining({ figures: expect.anything() })]),
  });

  // Its models are built anew, and nothing of it is lost.
  const { stderr: built } = await done(project, 'transform');
  expect(built).not.toMatch(/error/i);
  expect(sameDays(await answers(project))).toEqual(sameDays(before));
  const { stdout: after } = await done(project, 'doctor', '--upgrade');
  expect(after).toContain(`the warehouse has version ${WAREHOUSE_VERSION}, the current version`);

  // What comes then stands beside it.
  const site = await serveFormerSite(true);
  onTestFinished(() => void site.close());
  await done(project, 'crawl', `${ORIGIN}/`);
  expect(await asked(project, crawls)).toEqual([{ crawls: 2 }]);
  const changes = `SELECT change, replace(url, '${ORIGIN}', '') AS path FROM mart.page_changes ORDER BY ALL`;
  expect(await asked(project, changes)).toEqual(
    expect.arrayContaining([
      { change: 'status_code', path: '/black' },
      { change: 'title', path: '/green' },
    ]),
  );
  await writeFile(join(project, 'next.log'), formerLog('25/Nov/2026'));
  await done(project, 'logs', 'add', join(project, 'next.log'), '--on-reject', 'quarantine');
  const days = `SELECT CAST(day AS VARCHAR) AS day, CAST(sum(hits) AS BIGINT) AS hits FROM mart.log_url_days GROUP BY ALL ORDER BY ALL`;
  expect(await asked(project, days)).toEqual([
    { day: '2026-11-24', hits: 5 },
    { day: '2026-11-25', hits: 5 },
  ]);
  // The same days belong to both crawls.
  expect(await asked(project, (QUERIES.demand ?? '').replace('SELECT', 'SELECT DISTINCT'))).toEqual(
    before.demand,
  );
});
