import { expect, test } from 'vitest';
import { describeUpgrade, examineUpgrade } from '../../../../../src/app/operations/doctor/examine-upgrade.ts';
import { createLogger } from '../../../../../src/core/logs/logger.ts';
import { publish } from '../../../../../src/etl/pipeline/publish/publish.ts';
import { announceUpgrade } from '../../../../../src/etl/pipeline/transform/build/announce-upgrade.ts';
import type { Settings } from '../../../../../src/etl/project/settings/settings.ts';
import { temporaryFolder } from '../../../../support/temporary.ts';
import { openDatabase, openWorking, placeIn } from '../../../engines/open-working.ts';

test('changes of mart are announced once, by the first run', async () => {
  const folder = await temporaryFolder();
  const lines: string[] = [];
  const logger = createLogger('warn', (line) => lines.push(line));
  const models = ['mart.status_codes_by_crawl', 'mart.mine'].map((name) => {
    return { name, kind: 'table' as const, sql: 'SELECT 1 AS crawl_id', incremental: null };
  });
  const database = await openDatabase(folder);
  await using working = await openWorking(folder, database);
  await working.connection.run(
    'CREATE TABLE mart.status_codes_by_crawl (crawl_id VARCHAR, share DOUBLE); CREATE TABLE mart.mine (a INTEGER)',
  );
  await publish(working, logger, new AbortController().signal);
  const { published, stateDir } = placeIn(folder);
  const settings = {
    warehouse: published,
    projectDir: folder,
    engine: { engine: 'duckdb' },
    state_dir: stateDir,
    memory_limit: '300MB',
    threads: 1,
  } as unknown as Settings;
  const said = 'mart.status_codes_by_crawl.share is now pages_percent, and stays until version 3';
  expect(describeUpgrade(await examineUpgrade(settings))).toContain(said);
  await announceUpgrade(working.connection, models, logger);
  expect(lines.filter((line) => line.includes(said))).toHaveLength(1);
  expect(lines.join()).not.toContain('mine');
  await announceUpgrade(working.connection, models, logger);
  expect(lines).toHaveLength(1);
  await publish(working, logger, new AbortController().signal);
  expect(describeUpgrade(await examineUpgrade(settings))).toContain(
    'mart keeps its tables, columns and meanings',
  );
});
