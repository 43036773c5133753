import { expect, test } from 'vitest';
import { silentLogger } from '../../../src/core/logs/logger.ts';
import { runSession } from '../../../src/etl/pipeline/session.ts';
import { PAGES_MODEL, packageProject, signal } from './package-project.ts';

test('models are rebuilt without quarantined units, and the test stays reported as failed', async () => {
  const { make, load } = await packageProject(PAGES_MODEL);
  const { report } = await load(await make('c1', ['bad']), await make('c2', ['a']));
  expect(report.models).toMatchObject([{ name: 'mart.page_urls', status: 'built', rows: 1 }]);
  expect(report.tests).toMatchObject([
    { model: 'mart.page_urls', status: 'failed', held: ['crawl_pages/c1'] },
  ]);
});

test('a model is rebuilt only if one of its inputs was loaded', async () => {
  const { make, load, settings } = await packageProject(PAGES_MODEL);
  const made = await load(await make('c1', ['a']));
  expect(made.report.models).toMatchObject([{ name: 'mart.page_urls', status: 'built' }]);
  const options = { command: 'transform', settings, logger: silentLogger, signal };
  const { report } = await runSession(options, async () => ({ units: [], errors: [] }));
  expect(report.models).toMatchObject([{ name: 'mart.page_urls', status: 'unchanged' }]);
  const full = await runSession({ ...options, full: true }, async () => ({ units: [], errors: [] }));
  expect(full.report.models).toMatchObject([{ name: 'mart.page_urls', status: 'built' }]);
});
