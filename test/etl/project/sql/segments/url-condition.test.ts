import { expect, test } from 'vitest';
import { text } from '../../../../../src/core/duckdb/duckdb.ts';
import { urlCondition, withPath } from '../../../../../src/etl/project/sql/segments/segment-rows.ts';
import { findNonPortable } from '../../../../../src/etl/project/sql/text/portable-sql.ts';
import { sharedFolder, temporaryConnection } from '../../../../support/temporary.ts';

const folder = sharedFolder();
const URLS = [
  'https://shop.example',
  'https://shop.example/',
  'https://shop.example?page=2',
  'https://shop.example/p',
  'https://shop.example/p/red.lamp?sort=price',
  'https://shop.example/products/',
  'https://shop.example/docs/p/manual.pdf',
  'https://shop.example/docs/p/manual.pdf?print',
  'http://blog.shop.example:8080/P/$5',
  'https://shop.example/x?back=https://a.example/p/',
];
const urls = (...places: readonly number[]): (string | undefined)[] => places.map((at) => URLS[at]);

test.each([
  ['what begins with a directory', ['/p/'], urls(4)],
  ['what begins with some letters', ['/p'], urls(3, 4, 5)],
  ['a file type at the end', ['*.pdf$'], urls(6)],
  ['any characters between', ['/docs/*/manual'], urls(6, 7)],
  ['any characters at the end', ['/p/*'], urls(4)],
  ['a whole path', ['/p$'], urls(3)],
  ['the start page, written with its path or without', ['/$'], urls(0, 1)],
  ['a query', ['*?page='], urls(2)],
  ['a dot is a dot', ['/p/red?lamp'], []],
  ['a dollar that is not at the end', ['/P/$5'], urls(8)],
  ['letters as they are written', ['/P/'], urls(8)],
  ['a host', ['http://blog.shop.example:8080/'], urls(8)],
  ['a host of any scheme', ['http://blog.*', 'https://blog.*'], urls(8)],
  ['one of several', ['/p/', '*.pdf$'], urls(4, 6)],
  ['everything', ['*'], URLS],
])('a URL pattern matches: %s', async (_, patterns, expected) => {
  const connection = await temporaryConnection(folder);
  await connection.run('CREATE SCHEMA mart');
  await connection.run(`CREATE TABLE mart.pages AS SELECT unnest([${URLS.map(text).join(', ')}]) AS url`);
  const sql = `SELECT url FROM ${withPath()} WHERE ${urlCondition(patterns)}`;
  const found = await connection.rows<{ url: string }>(sql);
  expect(found.map(({ url }) => url)).toEqual(expected);
  expect(await findNonPortable(connection, sql, { file: 'x', line: 1 })).toEqual([]);
});
