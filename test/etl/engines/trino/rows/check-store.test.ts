import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ownLocation } from '../../../../../src/etl/engines/trino/rows/check-store.ts';
import type { TrinoPlace } from '../../../../../src/etl/engines/trino/trino-place.ts';
import { errorOf } from '../../../../support/error-of.ts';
import { LocalStore } from '../../../../support/local-store.ts';
import { temporaryFolder } from '../../../../support/temporary.ts';

async function scene() {
  const folder = await temporaryFolder();
  await mkdir(join(folder, 'rows'), { recursive: true });
  const place = {
    objects: new LocalStore({ folder }),
    bucket: 'lake',
    folder: 'rows',
    catalog: 'lake',
    prefix: 'a_',
    temporary: join(folder, '.temporary'),
  } as unknown as TrinoPlace;
  const own = (id: string, published?: string) => ownLocation(place, { id, published }, undefined);
  return { own, note: join(folder, 'rows', 'warehouse.json') };
}

test('an empty location is recorded, then refused to another warehouse', async () => {
  const { own, note } = await scene();
  expect(await own('one')).toBe(true);
  expect(JSON.parse(await readFile(note, 'utf8'))).toEqual({ id: 'one', catalog: 'lake', prefix: 'a_' });
  expect(await own('one')).toBe(true);
  expect(await errorOf(own('two'))).toMatchObject({
    code: 'bad_settings',
    message: 's3://lake/rows is the location of the warehouse lake.a_raw, not of lake.a_raw',
  });
});

test('a name with the same prefix is not the note, and an invalid note is reported', async () => {
  const { own, note } = await scene();
  await writeFile(`${note}.bak`, 'not ours');
  expect(await own('one')).toBe(false);
  await writeFile(note, 'not ours');
  expect(await errorOf(own('one'))).toMatchObject({
    code: 'bad_settings',
    message: expect.stringMatching(/rows\/warehouse\.json does not name the warehouse$/),
  });
});
