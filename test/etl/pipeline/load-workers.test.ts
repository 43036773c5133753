import { expect, test } from 'vitest';
import { optionalPart } from '../../../src/core/errors/optional-part.ts';
import { loadWorkers } from '../../../src/etl/pipeline/load-workers.ts';

test('workers are loaded on demand', async () => {
  const part = await loadWorkers();
  expect(Object.keys(part).sort()).toEqual([
    'offerUnits',
    'offerableUnits',
    'removePublishedPackages',
    'runWorker',
  ]);
});

test('an installation without a part names the missing part', async () => {
  const missing = Object.assign(new Error('no module'), { code: 'ERR_MODULE_NOT_FOUND' });
  await expect(optionalPart('workers', Promise.reject(missing))).rejects.toMatchObject({
    code: 'bad_settings',
    message: 'this installation lacks workers',
  });
  const other = new Error('it does not begin');
  await expect(optionalPart('workers', Promise.reject(other))).rejects.toBe(other);
});
