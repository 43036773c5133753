import { copyFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { zstdDecompressSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { backUp } from '../../../../../src/etl/state/catalog/published/back-up.ts';
import { errorOf } from '../../../../support/error-of.ts';
import { temporaryConnection, temporaryFolder } from '../../../../support/temporary.ts';
import { threads } from '../../../../support/threads.ts';

const FORMATS = join(import.meta.dirname, '..', '..', '..', '..', 'formats');
const { signal } = new AbortController();

async function published(name = 'warehouse.v15.duckdb.zst') {
  const folder = await temporaryFolder();
  const warehouse = join(folder, 'warehouse.duckdb');
  writeFileSync(warehouse, zstdDecompressSync(readFileSync(join(FORMATS, name))));
  return {
    folder,
    warehouse,
    file: join(folder, 'backup.duckdb'),
    state_dir: join(folder, 'state'),
    memory_limit: '300MB',
    threads: threads(),
  };
}

test('a backup contains every byte of the published warehouse, and the rows of each table', async () => {
  const place = await published();
  const made = await backUp(place, place.file, signal);
  expect(readFileSync(place.file).equals(readFileSync(place.warehouse))).toBe(true);
  expect(made).toMatchObject({ file: place.file, bytes: readFileSync(place.file).length });
  expect(made.publication_id).toMatch(/^[0-9a-f-]{36}$/);
  expect(made.tables).toContainEqual({ name: 'raw.crawl_pages', rows: 2 });
  const connection = await temporaryConnection(place.folder);
  await connection.run(`ATTACH '${place.file}' AS opened (READ_ONLY)`);
  expect(await connection.scalar('SELECT count(*) FROM opened.raw.crawl_pages')).toBe(2n);
});

test('if a publication replaces the file meanwhile, the backup is one complete publication', async () => {
  const place = await published();
  const other = await published('warehouse.v14.duckdb.zst');
  const files = [place, other].map(({ warehouse }) => readFileSync(warehouse));
  for (let number = 0; number < 4; number++) {
    const next = join(place.folder, 'next.duckdb');
    writeFileSync(next, files[number % 2] as Buffer);
    await Promise.all([backUp(place, place.file, signal), rename(next, place.warehouse)]);
    expect(files.some((one) => one.equals(readFileSync(place.file)))).toBe(true);
  }
});

test('a damaged warehouse is not backed up, and the previous backup stays', async () => {
  const place = await published();
  const bytes = readFileSync(place.warehouse);
  writeFileSync(place.file, 'the former one');
  bytes.fill(0xff, bytes.length / 2);
  writeFileSync(place.warehouse, bytes);
  expect((await errorOf(backUp(place, place.file, signal))).code).toBe('damaged_warehouse');
  expect(readFileSync(place.file, 'utf8')).toBe('the former one');
  expect(readdirSync(place.folder).filter((name) => name.startsWith('backup'))).toEqual(['backup.duckdb']);
});

test('without a warehouse, or with an invalid file, a backup reports it', async () => {
  const place = await published();
  copyFileSync(join(FORMATS, 'ledger.v1.sqlite'), place.warehouse);
  expect((await errorOf(backUp(place, place.file, signal))).code).toBe('bad_settings');
  const missing = { ...place, warehouse: join(place.folder, 'none.duckdb') };
  expect((await errorOf(backUp(missing, place.file, signal))).code).toBe('nothing_published');
});
