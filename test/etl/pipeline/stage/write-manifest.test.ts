import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { keepSecret } from '../../../../src/core/secrets/redact.ts';
import { writeManifest } from '../../../../src/etl/pipeline/stage/unit-folders.ts';
import type { Manifest } from '../../../../src/etl/project/model/manifest.ts';
import { temporaryConnection, temporaryFolder } from '../../../support/temporary.ts';
import { fields, makePackage } from '../load/make-package.ts';

test('a secret that equals a dataset name does not change the manifest', async () => {
  const folder = await temporaryFolder();
  const connection = await temporaryConnection(folder);
  const spec = { id: 'c1', dataset: 'planted_pages', fields: fields('planted_pages string'), rows: [] };
  const path = join(await makePackage(connection, folder, spec), 'manifest.json');
  const before = await readFile(path, 'utf8');
  keepSecret('planted_pages');
  await writeManifest(dirname(path), JSON.parse(before) as Manifest);
  expect(await readFile(path, 'utf8')).toBe(before);
  expect(JSON.parse(before)).toMatchObject({ name: 'planted_pages/c1', unit: { dataset: 'planted_pages' } });
});
