import { createReadStream, createWriteStream, existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { Database, ident, text } from '../../src/core/duckdb/duckdb.ts';
import type { Field } from '../../src/etl/project/model/field.ts';

/** One kind of data to measure with: its fields, its rows. */
export interface BenchData {
  readonly name: string;
  readonly dataType: 'pages' | 'links';
  readonly rows: number;
  readonly fields: readonly Field[];
}

const TYPES = ['string', 'natural', 'float', 'bool', 'natural', 'datetime'] as const;

/** Pages: a URL, then texts, numbers, booleans and times by turns. */
export function pagesData(name: string, rows: number, columns: number): BenchData {
  const fields: Field[] = [{ name: 'url', type: 'string', arity: 'one' }];
  for (let index = 1; index < columns; index++) {
    fields.push({ name: `field_${index}`, type: TYPES[index % TYPES.length] ?? 'string', arity: 'one' });
  }
  return { name, dataType: 'pages', rows, fields };
}

export function linksData(rows: number): BenchData {
  const field = (name: string, type: string): Field => ({ name, type, arity: 'one' });
  const fields = [
    field('origin', 'string'),
    field('target', 'string'),
    field('anchor', 'string'),
    field('follow', 'bool'),
    field('intern', 'bool'),
    field('target_status', 'natural'),
    field('target_fetched', 'bool'),
    field('origin_path', 'string'),
    field('target_path', 'string'),
    field('juice', 'float'),
  ];
  return { name: 'links', dataType: 'links', rows, fields };
}

/** Writes the data as the service's wire and its data exports have it, once a folder: `<name>.csv`, `.jsonl`, … */
export async function writeBenchData(folder: string, data: BenchData): Promise<void> {
  await mkdir(folder, { recursive: true });
  const path = (extension: string): string => join(folder, `${data.name}.${extension}`);
  await writeFile(path('fields.json'), JSON.stringify({ fields: data.fields, rows: data.rows }));
  if (existsSync(path('parquet'))) return;
  await using database = await Database.open({
    memoryLimit: '2GB',
    threads: 2,
    tempDirectory: join(folder, 'spill'),
  });
  const connection = await database.connect();
  const values = data.fields.map((field, index) => `${valueSql(field, index)} AS ${ident(field.name)}`);
  const select = `SELECT ${values.join(', ')} FROM range(${data.rows}) AS t(i)`;
  await connection.run(`COPY (${select}) TO ${text(path('jsonl'))} (FORMAT json)`);
  await connection.run(`COPY (${select}) TO ${text(path('csv'))} (FORMAT csv, DELIMITER ';')`);
  for (const extension of ['jsonl', 'csv'])
    await pipeline(
      createReadStream(path(extension)),
      createGzip({ level: 1 }),
      createWriteStream(path(`${extension}.gz`)),
    );
  const typed = data.fields.map((field) => {
    const name = ident(field.name);
    return field.type === 'datetime'
      ? `timezone('UTC', strptime(${name}, '%Y/%m/%d %H:%M:%S UTC')) AS ${name}`
      : name;
  });
  await connection.run("SET TimeZone = 'UTC'");
  await connection.run(
    `COPY (SELECT ${typed.join(', ')} FROM (${select})) TO ${text(path('parquet'))} (FORMAT parquet, COMPRESSION zstd)`,
  );
}

function valueSql(field: Field, index: number): string {
  const random = `hash(i * 1000 + ${index})`;
  if (/^(url|origin|target)$/.test(field.name)) {
    return `'https://www.example.com/section-' || (${random} % 97) || '/page-' || (${random} % 100000)`;
  }
  switch (field.type) {
    case 'natural':
      return `CASE WHEN ${random} % 5 = 0 THEN NULL ELSE CAST(${random} % 100000 AS BIGINT) END`;
    case 'float':
      return `CAST(${random} % 10000 AS DOUBLE) / 10000`;
    case 'bool':
      return `${random} % 2 = 0`;
    case 'datetime':
      return `strftime(TIMESTAMP '2025-01-08 00:00:00' + to_seconds(CAST(${random} % 86400 AS BIGINT)), '%Y/%m/%d %H:%M:%S UTC')`;
    default:
      return `'text ' || ${random} % 100000`;
  }
}
