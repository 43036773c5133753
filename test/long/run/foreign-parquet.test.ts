import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ServiceClient } from '../../../src/client/http/service-client.ts';
import { text } from '../../../src/core/duckdb/duckdb.ts';
import { DEFAULT_LIMITS } from '../../../src/core/net/download-limits.ts';
import { s3 } from '../../../src/core/stores/s3/s3.ts';
import { projectedFields } from '../../../src/etl/pipeline/routes/describe-rows.ts';
import { extractStream } from '../../../src/etl/pipeline/routes/stream/stream-route.ts';
import { stagingConnections } from '../../../src/etl/pipeline/stage/macros.ts';
import { PackageBuilder } from '../../../src/etl/pipeline/stage/package-builder.ts';
import { folderName } from '../../../src/etl/project/model/column-name.ts';
import { type Field, typeFamily } from '../../../src/etl/project/model/field.ts';
import type { Sandbox } from '../../../src/service/sandbox/start-sandbox.ts';
import { awsEnvironment } from '../../core/stores/store-server.ts';
import { DataExportDesk } from '../../support/data-exports.ts';
import { readForeignParquet, writeForeignParquet } from '../../support/foreign-parquet.ts';
import { differences, rawProjectFolder, runProject, sandboxFor } from '../../support/project.ts';
import { temporaryConnection, temporaryFolder } from '../../support/temporary.ts';

const signal = new AbortController().signal;
const DATA = { generate: ['projects=1,crawls=1,pages=300,columns=80,seed=71'] };
const ALL = { include: ['*'], exclude: [] };

interface Streamed {
  readonly fields: readonly Field[];
  /** The raw parts: what the service sent, line by line. */
  readonly rows: readonly Readonly<Record<string, unknown>>[];
  /** The same, staged. */
  readonly parts: readonly string[];
}

/** The fields of one value that `wanted` picks, as the service sends them and as we stage them. */
async function streamed(sandbox: Sandbox, wanted: (field: Field) => boolean): Promise<Streamed> {
  await using client = new ServiceClient({ baseUrl: sandbox.baseUrl, accessToken: sandbox.accessToken });
  const id = await new DataExportDesk(sandbox).service.crawlId();
  const source = { kind: 'crawl', id, dataType: 'pages' } as const;
  const fields = projectedFields(
    await client.fields({ kind: 'crawl', id: id, dataType: 'pages' }, signal),
    ALL,
  ).filter(wanted);
  const folder = await temporaryFolder();
  const names = fields.map((field) => field.name);
  const request = {
    source,
    fields: names,
    oql: null,
    format: 'json',
    gzip: false,
    reported: Number.POSITIVE_INFINITY,
    limits: DEFAULT_LIMITS,
  } as const;
  const builder = await PackageBuilder.create(
    stagingConnections(() => temporaryConnection(folder)),
    folder,
    fields,
  );
  const rows: Record<string, unknown>[] = [];
  for await (const part of await extractStream(client, request, folder, signal)) {
    rows.push(
      ...(await readFile(part.path, 'utf8'))
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
    );
    await builder.addPart(part, signal);
  }
  const { parts } = await builder.finish(null, signal);
  return { fields, rows, parts: parts.map((part) => join(folder, part.file)) };
}

const PLAIN: readonly string[] = ['whole', 'real', 'bool', 'text'];

test('parquetjs reads the same rows from our Parquet that the service sent', async () => {
  const sandbox = await sandboxFor(DATA);
  const isPlain = ({ type, arity }: Field): boolean => arity === 'one' && PLAIN.includes(typeFamily(type));
  const { fields, rows, parts } = await streamed(sandbox, isPlain);
  expect(new Set(fields.map(({ type }) => typeFamily(type)))).toEqual(new Set(PLAIN));
  const folder = await temporaryFolder();
  const connection = await temporaryConnection(folder);
  const plain = join(folder, 'plain.parquet');
  // parquetjs knows no zstd and only the first data pages; the values are as they were staged.
  await connection.run(
    `COPY (FROM read_parquet([${parts.map(text).join(', ')}])) TO ${text(plain)}
     (FORMAT parquet, COMPRESSION uncompressed, PARQUET_VERSION v1)`,
  );
  const read = await readForeignParquet(plain);
  // A value that is absent is no key there, and parquetjs gives what stands in a dictionary as text.
  const rowsOf = (all: readonly Readonly<Record<string, unknown>>[]): unknown[][] =>
    all.map((row) =>
      fields.map(({ name, type }) => {
        const value = row[name] ?? null;
        if (value === null) return null;
        return typeFamily(type) === 'whole'
          ? String(value)
          : typeFamily(type) === 'real'
            ? Number(value)
            : value;
      }),
    );
  expect(read).toHaveLength(300);
  expect(rowsOf(read)).toEqual(rowsOf(rows));
});

const FOREIGN_TYPES: Readonly<Record<string, string>> = {
  whole: 'INT64',
  real: 'DOUBLE',
  bool: 'BOOLEAN',
  date: 'UTF8',
  datetime: 'UTF8',
  text: 'UTF8',
};

test('a Parquet file written by parquetjs is loaded as an object of a data export', async () => {
  const sandbox = await sandboxFor({ generate: ['projects=1,crawls=1,pages=80,columns=14,seed=72'] });
  const desk = new DataExportDesk(sandbox);
  const crawlId = await desk.service.crawlId();
  const { fields, rows } = await streamed(sandbox, () => true);
  // A list has no spelling that parquetjs and others share: it goes as text, as in a CSV.
  expect(new Set(fields.map((field) => field.arity))).toEqual(new Set(['one', 'many']));
  const types = fields.map(({ name, type, arity }) => [
    name,
    arity === 'many' ? 'UTF8' : (FOREIGN_TYPES[typeFamily(type)] ?? ''),
  ]);
  const asText = rows.map((row) =>
    Object.fromEntries(
      fields.map(({ name, arity }) => {
        const value = row[name] ?? null;
        return [name, value !== null && arity === 'many' ? JSON.stringify([value].flat()) : value];
      }),
    ),
  );
  const file = join(await temporaryFolder(), 'foreign.parquet');
  await writeForeignParquet(file, Object.fromEntries(types), asText);

  const { access_key, secret_key, bucket, region, endpoint } = sandbox.ready.store_b;
  awsEnvironment(access_key, secret_key);
  const record = await desk.put(crawlId, `${folderName(`crawl_pages/${crawlId}`)}/an-attempt/`, 'parquet');
  await using store = await s3.open({ bucket, region, endpoint });
  const prefix = String(record.target_parameters?.store_b_prefix);
  const [object] = await Array.fromAsync(store.list(prefix, signal));
  await store.put(object?.key ?? '', file, signal);

  const [folder, undisturbed] = [await rawProjectFolder(), await rawProjectFolder()];
  const pipelines = ['crawl_pages'];
  const way = { pipelines, route: 'export', format: 'parquet', store: 'store_b' } as const;
  expect((await runProject(folder, sandbox, way)).errors).toEqual([]);
  expect(await desk.asked()).toBe(1);
  expect((await runProject(undisturbed, sandbox, { pipelines })).errors).toEqual([]);
  const connection = await temporaryConnection(await temporaryFolder());
  expect(await differences(connection, folder, undisturbed, 'crawl_pages')).toBe(0n);
});
