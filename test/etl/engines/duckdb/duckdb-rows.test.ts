import { DuckDbRows } from '../../../../src/etl/engines/duckdb/duckdb-rows.ts';
import { FORMER } from '../../../../src/etl/state/catalog/schema.ts';
import { temporaryConnection, temporaryFolder } from '../../../support/temporary.ts';
import { rowStoreContract } from '../row-store-contract.ts';

rowStoreContract('DuckDB', async () => {
  const catalog = await temporaryConnection(await temporaryFolder());
  await catalog.run('CREATE SCHEMA raw; CREATE TABLE raw.crawl_pages (_unit VARCHAR, n BIGINT)');
  const read = () => catalog.rows('SELECT * FROM raw.crawl_pages');
  const publish = async (): Promise<void> => {
    await catalog.run(`ATTACH ':memory:' AS ${FORMER}; CREATE SCHEMA ${FORMER}.raw`);
    await catalog.run(`CREATE TABLE ${FORMER}.raw.crawl_pages AS FROM raw.crawl_pages`);
  };
  return { rows: new DuckDbRows(catalog), catalog, read, publish };
});
