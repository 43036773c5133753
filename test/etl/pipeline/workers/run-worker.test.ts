import { expect, test } from 'vitest';
import { loadSettings } from '../../../../src/app/settings/load-settings.ts';
import { silentLogger } from '../../../../src/core/logs/logger.ts';
import { runWorker } from '../../../../src/etl/pipeline/workers/run-worker.ts';
import { rawProjectFolder } from '../../../support/project.ts';

// What it does with units is in test/integration/workers.test.ts, with PostgreSQL.
test.for([
  [{}, 'a worker needs the setting ledger'],
  [
    { CRAWLHOUSE_LEDGER: 'postgres://u:p@localhost/d?project=p' },
    'a worker needs the setting packages.store',
  ],
] as const)('a worker names the missing setting', async ([environment, message]) => {
  const settings = await loadSettings(await rawProjectFolder(), environment);
  const { signal } = new AbortController();
  await expect(
    runWorker(settings, { once: true, concurrency: 1 }, silentLogger, signal),
  ).rejects.toMatchObject({ code: 'bad_settings', exitCode: 2, message, hint: expect.any(String) });
});
