import { rmSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import fc from 'fast-check';
import { type Connection, ident, text } from '../../../src/core/duckdb/duckdb.ts';
import { writeParts } from '../../../src/etl/pipeline/routes/download/write-parts.ts';
import { PackageBuilder } from '../../../src/etl/pipeline/stage/package-builder.ts';
import type { Field } from '../../../src/etl/project/model/field.ts';
import { stagingOn } from '../../support/staging-on.ts';
import { isLoaded, jsonVerdict, textVerdict } from '../../support/value-oracle.ts';
import { fuzzDatabase } from '../folder.ts';
import { called, Fault, same, type Target, type Verdict } from '../target.ts';

const FIELDS: readonly Field[] = [
  { name: 'id', type: 'natural', arity: 'one' },
  { name: 'url', type: 'string', arity: 'one' },
  { name: 'n', type: 'natural', arity: 'one' },
];
const NAMES = FIELDS.map(({ name }) => name);

type Cells = readonly (string | null)[];

/** What a slow reader makes of a body: each record in its order, null for one that is no record. */
type PlainReader = (body: string) => readonly (Cells | null)[] | undefined;

interface Staged {
  readonly rows: readonly Record<string, string | null>[];
  readonly rejected: number;
}

/** A body through the parts of a download and staging. */
async function stage(
  connection: Connection,
  folder: string,
  format: 'csv' | 'json',
  input: Buffer,
): Promise<Staged> {
  const signal = new AbortController().signal;
  await mkdir(join(folder, 'raw'), { recursive: true });
  const builder = await PackageBuilder.create(stagingOn(connection), folder, FIELDS);
  const size = 1 + (input.length % 97);
  const pieces = Array.from({ length: Math.ceil(input.length / size) }, (_, at) =>
    input.subarray(at * size, (at + 1) * size),
  );
  const parts = writeParts(Readable.from(pieces), { folder: join(folder, 'raw'), format, file: 'values' });
  let next = await parts.next();
  for (; !next.done; next = await parts.next()) await builder.addPart(next.value, signal);
  const staged = await builder.finish(next.value, signal);
  const files = staged.parts.map((part) => text(join(folder, part.file)));
  const columns = staged.columns.map(
    ({ column, field }) => `CAST(${ident(column)} AS VARCHAR) AS ${ident(field)}`,
  );
  const rows =
    columns.length === 0 || files.length === 0
      ? []
      : await connection.jsonRows(`SELECT ${columns.join(', ')} FROM read_parquet([${files.join(', ')}])`);
  return { rows: rows as Record<string, string | null>[], rejected: staged.rejected };
}

async function checkBody(
  { connection, folder }: { readonly connection: Connection; readonly folder: string },
  format: 'csv' | 'json',
  input: Buffer,
  plain: PlainReader,
): Promise<Verdict> {
  const place = join(folder, 'case');
  try {
    const found = await called(() => stage(connection, place, format, input));
    if (found === undefined) return 'refused';
    const records = input.length > 20_000 ? undefined : plain(input.toString('latin1'));
    if (records === undefined) return 'refused';
    const { rows, rejected } = found.value;
    same(rows.length + rejected, records.length, `rows and rejects of ${format}`);
    compare(format, rows, records);
    return rows.length > 0 ? 'taken' : 'refused';
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

/** Rows that were loaded are those of the slow reader, in its order; those that it refuses are not there. */
function compare(format: 'csv' | 'json', rows: Staged['rows'], records: readonly (Cells | null)[]): void {
  const right = records.filter((cells): cells is Cells => cells !== null);
  let at = 0;
  for (const row of rows) {
    const found = right.findIndex((cells, index) => index >= at && fits(format, row, cells));
    if (found < 0) throw new Fault(`a wrong row of ${format}`, { row, records: right.slice(at, at + 3) });
    at = found + 1;
  }
  const isClear = (cell: string | null, index: number): boolean => {
    const verdict = verdictOf(format, index, cell);
    return verdict !== 'reject' && verdict.either !== true;
  };
  const clean = right.filter((cells) => cells.every(isClear));
  if (rows.length < clean.length) throw new Fault(`a right row of ${format} is a reject`, { rows, clean });
}

function fits(format: 'csv' | 'json', row: Record<string, string | null>, cells: Cells): boolean {
  return NAMES.every((name, index) => {
    const verdict = verdictOf(format, index, cells[index] ?? null);
    return verdict !== 'reject' && isLoaded(familyOf(index), verdict.load, row[name] ?? null);
  });
}

const familyOf = (index: number): 'text' | 'whole' => (NAMES[index] === 'url' ? 'text' : 'whole');

function verdictOf(
  format: 'csv' | 'json',
  index: number,
  cell: string | null,
): ReturnType<typeof textVerdict> {
  if (cell === null) return { load: null };
  if (cell === UNREADABLE) return 'reject';
  return format === 'csv' ? textVerdict(familyOf(index), cell, false) : jsonVerdict(familyOf(index), cell);
}

const UNREADABLE = '\u0000unreadable';

/** The text of bytes in UTF-8; those that are none can't be loaded. */
function utf8(latin1: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.from(latin1, 'latin1'));
  } catch {
    // Not UTF-8.
    return UNREADABLE;
  }
}

/** JSON line by line; undefined where an order of keys or a repeated key would need more than a plain reader. */
function plainJson(body: string): (Cells | null)[] | undefined {
  const records: (Cells | null)[] = [];
  for (const line of body.split('\n')) {
    if (line.trim() === '') continue;
    const record = jsonCells(utf8(line));
    if (record === undefined) return undefined;
    records.push(record);
  }
  return records;
}

function jsonCells(line: string): Cells | null | undefined {
  if (line === UNREADABLE) return null;
  let value: unknown;
  const sources = new Map<string, string>();
  try {
    value = JSON.parse(line, (key, item: unknown, context?: { source?: string }) => {
      if (context?.source !== undefined && NAMES.includes(key)) sources.set(key, context.source);
      return item;
    });
  } catch {
    // No JSON.
    return null;
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
  const record = value as Record<string, unknown>;
  const twice = NAMES.some((name) => line.split(`"${name}"`).length > 2);
  const isNested = Object.values(record).some((item) => typeof item === 'object' && item !== null);
  const isOther = Object.keys(record).some((key) => !NAMES.includes(key));
  if (twice || isNested || isOther || line.includes('\\u')) return undefined;
  return NAMES.map((name) => (record[name] === undefined ? null : (sources.get(name) ?? null)));
}

/** CSV by RFC 4180, character by character; undefined for a text whose quotes do not fit. */
function plainCsv(body: string): (Cells | null)[] | undefined {
  if (!body.startsWith('id;url;n\n') && !body.startsWith('id;url;n\r\n')) return undefined;
  // A lone carriage return may be data or an end: such records are rejects.
  if (/\r(?!\n)/.test(body) || !isQuotedWell(body)) return undefined;
  const records: (Cells | null)[] = [];
  for (const cells of recordsOf(body).slice(1)) {
    if (cells.length === 1 && cells[0] === null) continue;
    records.push(
      cells.length === NAMES.length ? cells.map((one) => (one === null ? null : utf8(one))) : null,
    );
  }
  return records;
}

function isQuotedWell(body: string): boolean {
  return /^(?:(?:"(?:[^"]|"")*"|[^";\r\n]*)(?:;|\r?\n|$))*$/.test(body);
}

function recordsOf(body: string): (string | null)[][] {
  const records: (string | null)[][] = [[]];
  for (const [whole, quoted, bare = '', end = ''] of body.matchAll(
    /(?:"((?:[^"]|"")*)"|([^";\r\n]*))(;|\r?\n|$)/g,
  )) {
    if (whole === '' && records.at(-1)?.length === 0) break;
    records.at(-1)?.push(quoted === undefined ? bare || null : quoted.replaceAll('""', '"'));
    if (end === '') break;
    if (end !== ';') records.push([]);
  }
  if (records.at(-1)?.length === 0) records.pop();
  return records;
}

function recordTarget(
  target: Omit<Target, 'open' | 'shortRound'>,
  format: 'csv' | 'json',
  plain: PlainReader,
): Target {
  return {
    ...target,
    shortRound: 30,
    async open() {
      const { folder, connection, close } = await fuzzDatabase();
      return { check: (input) => checkBody({ connection, folder }, format, input, plain), close };
    },
  };
}

const value = fc.oneof(
  fc.string({ unit: fc.constantFrom('a', ';', '"', '\n', ' ', 'é', '🕷', '1', '{'), maxLength: 5 }),
  fc.constantFrom(
    '9007199254740993',
    '3.7',
    '1e3',
    '-0',
    '007',
    'null',
    '1.0',
    '99999999999999999999999999999999999999',
  ),
);
const cell = value.map((one) => (/[";\n]/.test(one) ? `"${one.replaceAll('"', '""')}"` : one));

/** Streamed exports in CSV. */
export const csvRecordsTarget = recordTarget(
  {
    name: 'csv-records',
    seeds: [
      'id;url;n\n1;https://a.example/;2\n2;"a;""b""\n";\n',
      'id;url;n\r\n1;a;9007199254740993\r\n2;b;3.7\r\n',
    ],
    words: [';', '"', '""', '\n', '\r\n', '\n\n', 'id;url;n', '3.7', '1e3', '-1'],
    grammar: fc
      .array(fc.tuple(cell, cell), { maxLength: 5 })
      .map((rows) => `id;url;n\n${rows.map(([url, n], at) => `${at};${url};${n}\n`).join('')}`),
  },
  'csv',
  plainCsv,
);

/** Streamed exports in JSON lines. */
export const jsonRecords = recordTarget(
  {
    name: 'jsonl-records',
    seeds: [
      '{"id":1,"url":"https://a.example/","n":2}\n{"id":2,"url":"é","n":9007199254740993}\n',
      '{"id":1,"n":3.7}\n\n{"id":2,"url":null}\n',
    ],
    words: [
      '"id"',
      '"url"',
      '"n"',
      ':',
      ',',
      'null',
      'true',
      '1e3',
      '3.7',
      '"3"',
      '\n',
      '}\n{',
      '\\"',
      '1.0',
    ],
    grammar: fc
      .array(
        fc.record({
          url: value,
          n: fc.oneof(fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true }), value),
        }),
        { maxLength: 5 },
      )
      .map((rows) => rows.map((row, id) => `${JSON.stringify({ id, ...row })}\n`).join('')),
  },
  'json',
  plainJson,
);
