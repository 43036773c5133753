import { afterAll, beforeAll, expect, test } from 'vitest';
import type { SandboxOptions } from '../../src/service/sandbox/start-sandbox.ts';
import { hostileCrawl } from '../support/hostile-crawl.ts';
import { rawProjectFolder, runProject, sandboxFor } from '../support/project.ts';
import { EXPORTED, STREAMED, sameByAll } from '../support/same-by-all.ts';
import { type RealS3, type RealServer, startFakeGcs, startVersitygw } from '../support/servers.ts';

let gcs: RealServer;
let s3: RealS3;

beforeAll(async () => {
  gcs = await startFakeGcs();
  s3 = await startVersitygw();
});
afterAll(async () => {
  await gcs?.[Symbol.asyncDispose]();
  await s3?.[Symbol.asyncDispose]();
});

/** Where the sandbox writes to: servers that are not ours. */
function stores(): Pick<SandboxOptions, 'storeA' | 'storeB'> {
  const { endpoint, accessKey, secretKey, region } = s3;
  return { storeA: { endpoint: gcs.endpoint }, storeB: { endpoint, accessKey, secretKey, region } };
}

const [BY_JSON] = STREAMED;

test('pages and links are equal through versitygw and fake-gcs-server in every format', async () => {
  const generate = ['projects=1,crawls=1,pages=400,links=1500,columns=125,seed=61'];
  const sandbox = await sandboxFor({ generate, ...stores() });
  await sameByAll(sandbox, ['crawl_pages', 'crawl_links'], [BY_JSON, ...EXPORTED]);
});

test('three compressed text objects are equal through versitygw and fake-gcs-server', async () => {
  const generate = ['projects=1,crawls=1,pages=300,links=900,columns=60,seed=62'];
  const sandbox = await sandboxFor({ generate, ...stores(), exportObjects: 3, exportGzip: true });
  await sameByAll(sandbox, ['crawl_pages', 'crawl_links'], [BY_JSON, ...EXPORTED]);
});

test('hostile values are equal through versitygw and fake-gcs-server', async () => {
  const importDirs = [await hostileCrawl()];
  const sandbox = await sandboxFor({ importDirs, ...stores(), exportObjects: 2, exportGzip: true });
  await sameByAll(
    sandbox,
    ['crawl_pages'],
    [BY_JSON, ...EXPORTED.filter(({ format }) => format !== 'parquet')],
  );
});

test.for([
  ['a missing bucket', { CRAWLHOUSE_STORE_B_BUCKET: 'nobodys-bucket' }, 'NoSuchBucket'],
  ['a region that is not the one of the bucket', { CRAWLHOUSE_STORE_B_REGION: 'eu-west-9' }, 'eu-west-9'],
] as const)('%s is a configuration error, with the message of the store', async ([, environment, said]) => {
  const sandbox = await sandboxFor({
    generate: ['projects=1,crawls=1,pages=20,columns=8,seed=63'],
    ...stores(),
  });
  const way = { route: 'export', format: 'csv', store: 'store_b', pipelines: ['crawl_pages'] } as const;
  const { exitCode, errors } = await runProject(await rawProjectFolder(), sandbox, { ...way, environment });
  expect([exitCode, errors[0]?.code, errors[0]?.message]).toEqual([
    2,
    'bad_settings',
    expect.stringContaining(said),
  ]);
});
