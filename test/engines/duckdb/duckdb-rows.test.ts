import { DuckDbRows } from '../../../src/engines/duckdb/duckdb-rows.ts';
import { FORMER } from '../../../src/state/catalogue/schema.ts';
import { temporaryConnection, temporaryFolder } from '../../support/temporary.ts';
import { rowStoreContract } from '../row-store-contract.ts';

rowStoreContract('DuckDB', async () => {
  const catalogue = await temporaryConnection(await temporaryFolder());
  await catalogue.run('CREATE SCHEMA raw; CREATE TABLE raw.crawl_pages (_unit VARCHAR, n BIGINT)');
  const read = () => catalogue.rows('SELECT * FROM raw.crawl_pages');
  const publish = async (): Promise<void> => {
    await catalogue.run(`ATTACH ':memory:' AS ${FORMER}; CREATE SCHEMA ${FORMER}.raw`);
    await catalogue.run(`CREATE TABLE ${FORMER}.raw.crawl_pages AS FROM raw.crawl_pages`);
  };
  return { rows: new DuckDbRows(catalogue), catalogue, read, publish };
});
