import { Database } from '../../src/core/duckdb/duckdb.ts';
import { s3 } from '../../src/core/stores/s3/s3.ts';
import { TrinoClient } from '../../src/etl/engines/trino/client/trino-client.ts';
import { TrinoRows } from '../../src/etl/engines/trino/rows/trino-rows.ts';
import { createSchema } from '../../src/etl/state/catalog/create-schema.ts';
import type { TrinoAddress } from './trino.ts';

// Publishes one version of two units and of a model of them. Says each step before it begins: it is killed in one.
const [given = '', prefix = '', version = '', temporary = ''] = process.argv.slice(2);
const { url, catalog, bucket, s3: server } = JSON.parse(given) as TrinoAddress;
process.env.AWS_ACCESS_KEY_ID = server.accessKey;
process.env.AWS_SECRET_ACCESS_KEY = server.secretKey;
await using database = await Database.open({ memoryLimit: '200MB', threads: 1, tempDirectory: temporary });
const connection = await database.connect();
await createSchema(connection);
await connection.run('CREATE TABLE raw.crawl_pages (_unit VARCHAR, n BIGINT)');
await using client = new TrinoClient({ url, user: 'test', catalog });
await using objects = await s3.open({ bucket, endpoint: server.endpoint, region: server.region });
const place = { client, catalog, prefix, bucket, folder: `rows/${prefix}`, objects, connection, temporary };

const step = (name: string): boolean => process.stdout.write(`${name}\n`);
step('begin');
const rows = await TrinoRows.begin(place);
const relation = 'raw.crawl_pages';
for (const unit of ['a', 'b']) {
  step(`load ${unit}`);
  const from = `(VALUES (${version}), (${version})) AS t(n)`;
  await rows.replaceUnit({ relation, unit, values: new Map([['n', 'n']]), from });
}
step('build');
const columns = new Map([['n', 'BIGINT']]);
await rows.build({ relation: 'mart.copy', columns, select: `SELECT n FROM ${rows.names.work(relation)}` });
step('publish');
await rows.publishPointers();
step('end');
