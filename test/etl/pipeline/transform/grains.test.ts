import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadModels } from '../../../../src/etl/project/sql/models/load-models.ts';
import { sqlFolder } from '../../../../src/etl/project/sql/models/sql-folders.ts';
import { gaps } from '../../../support/gaps.ts';
import { GRAINS, REPEATING } from './grains.ts';

const models = await loadModels([sqlFolder(join(import.meta.dirname, '../../../../sql'))]);

test('each model without a tested grain is listed with its columns, or its rows may repeat', () => {
  const untested = models.filter(({ grain }) => grain === null).map(({ name }) => name);
  const found = gaps(untested, [...Object.keys(GRAINS), ...REPEATING], {
    adds: 'a model',
    missing: (name) =>
      `${name} has no grain in its header, and none in test/etl/pipeline/transform/grains.ts`,
    extra: (name) =>
      `test/etl/pipeline/transform/grains.ts has ${name}, which has a grain in its header or is no model`,
  });
  expect(found).toEqual([]);
});
