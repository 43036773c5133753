import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { TrinoPage } from '../../../../../src/etl/engines/trino/client/trino-client.ts';
import { selectRowsFile, writeRowsFile } from '../../../../../src/etl/engines/trino/rows/rows-file.ts';
import { temporaryConnection, temporaryFolder } from '../../../../support/temporary.ts';

async function* pagesOf(...pages: readonly (readonly (readonly unknown[])[])[]): AsyncGenerator<TrinoPage> {
  for (const rows of pages) yield { columns: [], rows } as unknown as TrinoPage;
}

test('rows are lines of JSON, and DuckDB reads the same values, also those that JSON lacks', async () => {
  const folder = await temporaryFolder();
  const path = join(folder, 'lines.rows');
  await writeRowsFile(
    pagesOf(
      [
        [9007199254740993n, 0.5, '{"a":1}', ['x', null]],
        [null, Number.NaN, null, []],
      ],
      [],
      [[1n, Number.NEGATIVE_INFINITY, '"b"', [Number.POSITIVE_INFINITY]]],
    ),
    path,
  );
  expect(await readFile(path, 'utf8')).toBe(
    [
      '{"c0":9007199254740993,"c1":0.5,"c2":"{\\"a\\":1}","c3":["x",null]}',
      '{"c0":null,"c1":"NaN","c2":null,"c3":[]}',
      '{"c0":1,"c1":"-Infinity","c2":"\\"b\\"","c3":["Infinity"]}',
      '',
    ].join('\n'),
  );
  const columns = [
    { name: 'n', type: 'BIGINT' },
    { name: 'a "b"', type: 'DOUBLE' },
    { name: 'json', type: 'JSON' },
    { name: 'list', type: 'VARCHAR[]' },
  ];
  const connection = await temporaryConnection(folder);
  expect(await connection.jsonRows(selectRowsFile(path, columns))).toEqual([
    { n: '9007199254740993', 'a "b"': 0.5, json: '{"a":1}', list: ['x', null] },
    { n: null, 'a "b"': 'NaN', json: null, list: [] },
    { n: '1', 'a "b"': '-Infinity', json: '"b"', list: ['Infinity'] },
  ]);
});

test('an error between two pages ends the file', async () => {
  const path = join(await temporaryFolder(), 'lines.rows');
  async function* failing(): AsyncGenerator<TrinoPage> {
    yield* pagesOf([[1n]]);
    throw new Error('no more');
  }
  await expect(writeRowsFile(failing(), path)).rejects.toThrow('no more');
  await expect(writeRowsFile(pagesOf([[1n]]), join(path, 'below'))).rejects.toThrow('ENOTDIR');
});
