import { join } from 'node:path';
import { QueryProcess } from '../../src/app/answers/query/query-process.ts';
import { Database, text } from '../../src/core/duckdb/duckdb.ts';
import { silentLogger } from '../../src/core/logs/logger.ts';
import { loadModels } from '../../src/etl/project/sql/models/load-models.ts';
import { sqlFolder } from '../../src/etl/project/sql/models/sql-folders.ts';
import { loadSites, SQL } from '../questions/sites/load-sites.ts';
import type { Sites } from '../questions/sites/sites.ts';
import { runModels } from './run-models.ts';

/**
 * A warehouse of sites with all models, in a folder, read as people's queries read it.
 *
 * @param projectDir with files that models read, such as tickets.yaml
 */
export async function publishedSites(
  folder: string,
  sites: Sites,
  projectDir?: string,
): Promise<QueryProcess> {
  const warehouse = join(folder, 'warehouse.duckdb');
  const place = { memoryLimit: '400MB', threads: 1, tempDirectory: join(folder, 'spill') };
  await using database = await Database.open(place);
  await using connection = await database.connect();
  await connection.run(`ATTACH ${text(warehouse)} AS w`);
  await connection.run('USE w');
  await loadSites(connection, sites);
  const project = projectDir === undefined ? {} : { project: { dir: projectDir, issues: {} } };
  const models = await loadModels([{ ...sqlFolder(SQL), ...project }]);
  await runModels({ connection, models, changed: 'all', runId: 'run', logger: silentLogger });
  await connection.run('USE memory');
  await connection.run('DETACH w');
  const limits = { seconds: 120, memory: '400MB', temp: '1GB', rows: 10_000_000, result: '1GB' };
  return QueryProcess.start({ warehouse, stateDir: join(folder, 'state'), threads: 1, limits });
}
