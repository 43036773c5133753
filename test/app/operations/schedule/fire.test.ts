import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { fire } from '../../../../src/app/operations/schedule/fire.ts';
import { loadSettings } from '../../../../src/app/settings/load-settings.ts';
import { silentLogger } from '../../../../src/core/logs/logger.ts';
import { Schedule } from '../../../../src/etl/project/settings/schedules.ts';
import { rawProjectFolder, sandboxFor } from '../../../support/project.ts';
import { receiver } from '../alert/receiver.ts';

/** Fires one schedule in this process, with alerts of its own. */
async function schedule() {
  const sandbox = await sandboxFor({ generate: ['projects=1,crawls=1,pages=20,links=0,seed=5'] });
  const folder = await rawProjectFolder();
  const { url, received } = await receiver();
  const settings = await loadSettings(folder, {
    CRAWLHOUSE_BASE_URL: sandbox.baseUrl,
    CRAWLHOUSE_ACCESS_TOKEN: sandbox.accessToken,
  });
  const morning = (pipelines: readonly string[]) =>
    Schedule.parse({ name: 'morning', cron: '0 6 * * *', pipelines, alerts: { webhook: url } });
  const fired = (pipelines: readonly string[], schedulesError: string | null = null) =>
    fire(
      settings,
      { schedule: morning(pipelines), isLast: true, schedulesError },
      silentLogger,
      new AbortController().signal,
    );
  return { folder, received, fired };
}

test('an invalid schedules.yaml raises one alert while the service runs, and its repair one recovery', async () => {
  const { received, fired } = await schedule();
  const broken = 'schedules.yaml:3: unknown key schedules.0.overlp';
  expect((await fired(['crawl_pages'], broken)).exitCode).toBe(0);
  await fired(['crawl_pages'], broken);
  expect(received).toMatchObject([{ incident: 'run/morning/bad_schedule', details: [broken] }]);
  await fired(['crawl_pages']);
  expect(received.map(({ event }) => event)).toEqual(['failure', 'recovery']);
});

test('an invalid pipeline file raises an alert, even though no run can start', async () => {
  const { folder, received, fired } = await schedule();
  await writeFile(join(folder, 'pipelines', 'broken.yaml'), 'dataset: broken\n');
  await expect(fired(['crawl_pages'])).rejects.toMatchObject({ code: 'bad_pipeline' });
  expect(received).toMatchObject([
    { event: 'failure', incident: 'run/morning/bad_pipeline', scope: 'morning', run_id: null },
  ]);
});
