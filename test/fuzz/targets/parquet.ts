import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Connection, text } from '../../../src/core/duckdb/duckdb.ts';
import { parquetRows } from '../../../src/core/duckdb/parquet-rows.ts';
import { PackageBuilder } from '../../../src/etl/pipeline/stage/package-builder.ts';
import type { Field } from '../../../src/etl/project/model/field.ts';
import { stagingOn } from '../../support/staging-on.ts';
import { fuzzDatabase, fuzzFolder } from '../folder.ts';
import { called, Fault, plainTarget, same, type Target, type Verdict } from '../target.ts';

const FIELDS: readonly Field[] = [
  { name: 'id', type: 'natural', arity: 'one' },
  { name: 'url', type: 'string', arity: 'one' },
  { name: 'tags', type: 'string', arity: 'many' },
];
const SEED = readFileSync(
  join(import.meta.dirname, '..', '..', 'formats', 'package.v1', 'parts', 'part-00001.parquet'),
);

/** The footer alone, as bytes between the magic words; whatever it says, it is read at once. */
async function checkFooter(path: string, input: Buffer): Promise<Verdict> {
  const length = Buffer.alloc(4);
  length.writeUInt32LE(input.length);
  writeFileSync(path, Buffer.concat([Buffer.from('PAR1'), input, length, Buffer.from('PAR1')]));
  const found = await called(() => parquetRows(path, 'a.parquet'));
  if (found === undefined) return 'refused';
  if (!Number.isSafeInteger(found.value) || found.value < 0)
    throw new Fault('a number of rows is none', found.value);
  return 'taken';
}

function footerOf(file: Buffer): Buffer {
  const length = file.readUInt32LE(file.length - 8);
  return file.subarray(file.length - 8 - length, file.length - 8);
}

const footerFolder = fuzzFolder();

/** Footers of Parquet files. */
export const parquetFooter: Target = {
  ...plainTarget(
    {
      name: 'parquet-footer',
      seeds: [
        footerOf(SEED),
        Buffer.from([0x15, 0x02, 0x19, 0x1c, 0x48, 0x01, 0x61, 0, 0x16, 0x0e]),
        Buffer.from([0x36, 0x0e]),
      ],
      words: ['\x19', '\xf1', '\xff\xff\xff\xff\x0f', '\x16\x02', '\x36', '\x1c', '\x80', '\x00'],
      shortRound: 1000,
    },
    (input) => checkFooter(join(footerFolder.folder, 'a.parquet'), input),
  ),
  async open() {
    mkdirSync(footerFolder.folder, { recursive: true });
    return {
      check: (input) => checkFooter(join(footerFolder.folder, 'a.parquet'), input),
      close: footerFolder.close,
    };
  },
};

/** A whole file from a store: each row is one that it had, or the file is refused. */
async function checkFile(connection: Connection, folder: string, input: Buffer): Promise<Verdict> {
  const place = join(folder, 'case');
  const path = join(folder, 'a.parquet');
  writeFileSync(path, input);
  const signal = new AbortController().signal;
  try {
    const found = await called(async () => {
      const rows = await parquetRows(path, 'a.parquet');
      mkdirSync(place, { recursive: true });
      const builder = await PackageBuilder.create(stagingOn(connection), place, FIELDS);
      const part = { path, format: 'parquet', file: 'a.parquet', firstLine: 1, rows } as const;
      await builder.addPart({ ...part, header: null, delimiter: null }, signal);
      const staged = await builder.finish(null, signal);
      return { rows, staged };
    });
    if (found === undefined) return 'refused';
    const { rows, staged } = found.value;
    const files = staged.parts.map((part) => text(join(place, part.file)));
    const loaded =
      files.length === 0
        ? 0
        : Number(await connection.scalar(`SELECT count(*) FROM read_parquet([${files.join(', ')}])`));
    same(loaded + staged.rejected, rows, 'rows of a Parquet file');
    return loaded > 0 ? 'taken' : 'refused';
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

/** Parquet files of data exports, from a store. */
export const parquetFile: Target = {
  name: 'parquet',
  seeds: [SEED],
  words: ['PAR1', 'url', 'id', 'tags', '\x00\x00', '\xff\xff', '\x15', '\x19'],
  shortRound: 30,
  async open() {
    const { folder, connection, close } = await fuzzDatabase();
    return { check: (input) => checkFile(connection, folder, input), close };
  },
};
