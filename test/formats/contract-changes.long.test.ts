import { expect, test } from 'vitest';
import { Database } from '../../src/core/duckdb/duckdb.ts';
import { loadModels } from '../../src/etl/project/sql/models/load-models.ts';
import { SHIPPED_SQL } from '../../src/etl/project/sql/models/sql-folders.ts';
import { readContract } from '../../src/etl/project/sql/plan/mart-contract.ts';
import { ALL_SITES } from '../questions/sites/all-sites.ts';
import { loadSites } from '../questions/sites/load-sites.ts';
import * as move from '../questions/sites/move-site.ts';
import { temporaryFolder } from '../support/temporary.ts';
import { unsaidChanges } from './compare-models.ts';
import { formerModels } from './former-models.ts';

const SITES = {
  projects: [...ALL_SITES.projects, move.PROJECT],
  crawls: [...ALL_SITES.crawls, ...move.CRAWLS],
};

test('each mart table with changed figures since the last published version has a contract entry', async () => {
  const tempDirectory = await temporaryFolder();
  await using database = await Database.open({ memoryLimit: '800MB', threads: 1, tempDirectory });
  using connection = await database.connect();
  await connection.run("ATTACH ':memory:' AS sites");
  await connection.run('USE sites');
  await loadSites(connection, SITES);
  const contract = await readContract();
  const former = await formerModels();
  const unsaid = await unsaidChanges(connection, 'sites', {
    former,
    contract,
    models: await loadModels([SHIPPED_SQL]),
  });
  // Red? Each line has table, column, and a row with the values before and now.
  const say = `say what each means now in \`changes\` of sql/contract.yaml, with a version above ${former.contract}, and in CHANGELOG.md`;
  expect(unsaid, say).toEqual([]);
});
