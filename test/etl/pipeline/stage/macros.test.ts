import { expect, test } from 'vitest';
import { stagingConnections } from '../../../../src/etl/pipeline/stage/macros.ts';
import { temporaryConnection, temporaryFolder } from '../../../support/temporary.ts';
import '../../../support/process-timeout.ts';

test('consecutive units share a connection with the macros, concurrent units have one each', async () => {
  const folder = await temporaryFolder();
  let opened = 0;
  const pool = stagingConnections(() => {
    opened++;
    return temporaryConnection(folder);
  });
  const convert = () => pool.use((connection) => connection.scalar("SELECT to_whole('1e2', false)"));
  expect([await convert(), await convert(), opened]).toEqual([100n, 100n, 1]);
  expect([await Promise.all([convert(), convert()]), opened]).toEqual([[100n, 100n], 2]);
});
