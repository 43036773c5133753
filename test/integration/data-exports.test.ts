import { afterAll, beforeAll } from 'vitest';
import { startSandbox } from '../../src/service/sandbox/start-sandbox.ts';
import { dataExportSuite, Exports } from '../service/data-export-suite.ts';
import { Service } from '../service/support.ts';
import { startFakeGcs, startVersitygw } from '../support/servers.ts';

const closers: (() => PromiseLike<void>)[] = [];
let exports: Exports | undefined;

beforeAll(async () => {
  const s3 = await startVersitygw();
  closers.push(() => s3[Symbol.asyncDispose]());
  const gcs = await startFakeGcs();
  closers.push(() => gcs[Symbol.asyncDispose]());
  const { endpoint, accessKey, secretKey, region } = s3;
  const sandbox = await startSandbox({
    generate: ['pages=400,links=900,columns=60,seed=3'],
    exportObjects: 3,
    storeA: { endpoint: gcs.endpoint },
    storeB: { endpoint, accessKey, secretKey, region },
  });
  closers.push(() => sandbox.close());
  exports = new Exports(new Service(sandbox));
});
afterAll(async () => {
  for (const close of closers.reverse()) await close();
});

dataExportSuite({
  name: 'versitygw and fake-gcs-server',
  large: true,
  exports: () => {
    if (exports === undefined) throw new Error('the servers did not start');
    return exports;
  },
});
