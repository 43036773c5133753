import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GetObjectCommand, ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3';
import { Storage } from '@google-cloud/storage';
import { expect, test } from 'vitest';
import { ServiceClient } from '../../src/client/http/service-client.ts';
import type { DataExport, DataExportInput, ExportTarget } from '../../src/client/resources/data-exports.ts';
import { ident, text } from '../../src/core/duckdb/duckdb.ts';
import { gcsUploader, s3Uploader } from '../../src/service/sandbox/exports/uploader.ts';
import type { ReadyDocument } from '../../src/service/sandbox/start-sandbox.ts';
import { temporaryConnection, temporaryFolder } from '../support/temporary.ts';
import { until } from '../support/until.ts';
import type { Json, Service } from './support.ts';

type Format = DataExportInput['output_format'];

/** Calls of a sandbox's data exports, and reading back what they wrote. */
export class Exports {
  readonly service: Service;

  constructor(service: Service) {
    this.service = service;
  }

  get ready(): ReadyDocument {
    return this.service.sandbox.ready;
  }

  client(): ServiceClient {
    const { base_url: baseUrl, access_token: accessToken } = this.ready;
    return new ServiceClient({ baseUrl, accessToken });
  }

  /** Where an export to one of the ready document's buckets goes. */
  async target(
    target: ExportTarget,
    prefix: string,
  ): Promise<Pick<DataExportInput, 'target' | 'target_parameters'>> {
    const { store_a, store_b } = this.ready;
    if (target === 'store_a') {
      return { target, target_parameters: { store_a_bucket: store_a.bucket, store_a_prefix: prefix } };
    }
    return {
      target,
      target_parameters: {
        store_b_credentials: `secrets://${await this.service.workspace()}/${store_b.credentials_secret}`,
        store_b_bucket: store_b.bucket,
        store_b_region: store_b.region,
        store_b_prefix: prefix,
      },
    };
  }

  /** Asks for an export and waits until it has ended, well or not. */
  async run(input: DataExportInput): Promise<DataExport> {
    await using client = this.client();
    const workspace = await this.service.workspace();
    const { id } = await client.call('createDataExport', {
      workspace_id: workspace,
      body: { data_export: input },
    });
    return await until(async () => {
      const one = await client.call('dataExport', { workspace_id: workspace, data_export_id: id });
      return ['DONE', 'FAILED'].includes(one.status) ? one : undefined;
    });
  }

  /** The objects under a prefix, by their keys, through the official SDKs. */
  async objects(target: ExportTarget, prefix: string): Promise<Map<string, Buffer>> {
    const found = new Map<string, Buffer>();
    const { store_a, store_b } = this.ready;
    if (target === 'store_a') {
      const storage = new Storage({ apiEndpoint: store_a.endpoint, projectId: 'test' });
      const [files] = await storage.bucket(store_a.bucket).getFiles({ prefix });
      for (const file of files) found.set(file.name, (await file.download())[0]);
      return found;
    }
    const s3 = s3Client(store_b);
    const { Contents = [] } = await s3.send(
      new ListObjectsV2Command({ Bucket: store_b.bucket, Prefix: prefix }),
    );
    for (const { Key = '' } of Contents) {
      const { Body } = await s3.send(new GetObjectCommand({ Bucket: store_b.bucket, Key }));
      found.set(Key, Buffer.from((await Body?.transformToByteArray()) ?? []));
    }
    s3.destroy();
    return found;
  }
}

function s3Client(store: ReadyDocument['store_b'], keys: Partial<ReadyDocument['store_b']> = {}): S3Client {
  const { endpoint, region, access_key, secret_key } = { ...store, ...keys };
  return new S3Client({
    endpoint,
    region,
    forcePathStyle: true,
    credentials: { accessKeyId: access_key, secretAccessKey: secret_key },
  });
}

export interface Suite {
  readonly name: string;
  /** A sandbox with a crawl of pages and links on the stores of the suite, three objects an export, uncompressed. */
  readonly exports: () => Exports;
  /** Also uploads of more than one request, which take seconds. */
  readonly large?: boolean;
}

/** What holds of data exports on any pair of stores: every format × target, rows equal to those of the streamed export. */
export function dataExportSuite({ name, exports, large = false }: Suite): void {
  for (const target of ['store_a', 'store_b'] as const) {
    for (const [format, delimiter] of [
      ['csv', ','],
      ['csv', ';'],
      ['csv', '\t'],
      ['json', undefined],
      ['parquet', undefined],
    ] as const) {
      const shown = delimiter === undefined ? format : `${format} with ${JSON.stringify(delimiter)}`;
      test(`${name}: pages as ${shown} in ${target} equal the rows of the streamed export`, async () => {
        const it = exports();
        const prefix = `suite/${format}${delimiter === undefined ? '' : delimiter.charCodeAt(0)}/`;
        const crawl = await it.service.crawlId();
        const done = await it.run({
          data_type: 'page',
          resource_id: crawl,
          output_format: format,
          ...(delimiter === undefined ? {} : { output_format_parameters: { csv_delimiter: delimiter } }),
          ...(await it.target(target, prefix)),
          include_all_page_group_lists: true,
        });
        expect(done).toMatchObject({ status: 'DONE', export_failure_reason: null });
        const objects = await it.objects(target, prefix);
        expect([...objects.keys()]).toEqual(
          [1, 2, 3].map(
            (number) => `${prefix}${done.id}-0000${number}.${format === 'json' ? 'jsonl' : format}`,
          ),
        );
        const bytes = [...objects.values()].reduce((sum, object) => sum + object.length, 0);
        expect(done.output_size_in_bytes).toBe(bytes);
        const streamed = (await it.service.export(crawl, 'pages', 'json')).text;
        const fields = await pageFields(it, crawl);
        const rows = await rowsOf([...objects.values()], format, delimiter, fields);
        const wanted = await rowsOf([Buffer.from(streamed)], 'json', undefined, fields);
        expect(rows.length).toBe(done.output_row_count);
        expect(rows.length).toBeGreaterThan(100);
        expect(rows).toEqual(wanted);
      });
    }
    if (large)
      test(`${name}: a file larger than one request is complete in ${target}`, async () => {
        const it = exports();
        const folder = await temporaryFolder();
        const path = join(folder, 'large');
        const bytes = randomBytes(17 * 1024 * 1024 + 1);
        await writeFile(path, bytes);
        const { store_a, store_b } = it.ready;
        const keys = { accessKey: store_b.access_key, secretKey: store_b.secret_key };
        using uploader =
          target === 'store_a' ? await gcsUploader(store_a) : await s3Uploader({ ...store_b, ...keys });
        const file = { path, size: bytes.length, key: 'large/file', contentType: 'text/csv' };
        await uploader.upload(file, new AbortController().signal);
        const objects = await it.objects(target, 'large/');
        expect([...objects.keys()]).toEqual(['large/file']);
        expect(objects.get('large/file')?.equals(bytes)).toBe(true);
      });
    test(`${name}: links are exported to ${target} too`, async () => {
      const it = exports();
      const crawl = await it.service.crawlId();
      const done = await it.run({
        data_type: 'link',
        resource_id: crawl,
        output_format: 'csv',
        ...(await it.target(target, 'links')),
      });
      const objects = [...(await it.objects(target, 'links/')).values()];
      const streamed = (await it.service.export(crawl, 'links', 'csv')).text;
      const header = streamed.slice(0, streamed.indexOf('\n') + 1);
      const bodies = objects.map((object) => object.toString());
      expect(bodies.every((body) => body.startsWith(header))).toBe(true);
      expect(header + bodies.map((body) => body.slice(header.length)).join('')).toBe(streamed);
      expect(done).toMatchObject({ status: 'DONE', output_row_count: streamed.split('\n').length - 2 });
    });
    test(`${name}: a missing bucket fails an export to ${target} with the message of the store`, async () => {
      const it = exports();
      const there = await it.target(target, 'x');
      const parameters = { ...there.target_parameters, [`${target}_bucket`]: 'no-such-bucket' };
      const failed = await it.run({
        data_type: 'page',
        resource_id: await it.service.crawlId(),
        output_format: 'json',
        target,
        target_parameters: parameters as DataExportInput['target_parameters'],
      });
      expect(failed.status).toBe('FAILED');
      expect(failed.export_failure_reason).toMatch(/no-such-bucket.*(NoSuchBucket|not.*(exist|found)|404)/i);
      expect(failed).toMatchObject({ output_row_count: null, output_size_in_bytes: null });
    });
  }

  test(`${name}: wrong keys fail an export with the message of the store, without the keys`, async () => {
    const it = exports();
    const workspace = await it.service.workspace();
    await using client = it.client();
    const value = { access_key: it.ready.store_b.access_key, secret_key: 'this-is-not-the-secret' };
    const name = `wrong-${Math.random().toString(36).slice(2, 8)}`;
    await client.call('createSecret', {
      workspace_id: workspace,
      body: {
        secret: {
          name,
          type: 'store_b_credentials',
          value: Buffer.from(JSON.stringify(value)).toString('base64'),
        },
      },
    });
    const there = await it.target('store_b', 'x');
    const failed = await it.run({
      data_type: 'page',
      resource_id: await it.service.crawlId(),
      output_format: 'json',
      target: 'store_b',
      target_parameters: {
        ...there.target_parameters,
        store_b_credentials: `secrets://${workspace}/${name}`,
      } as DataExportInput['target_parameters'],
    });
    expect(failed.status).toBe('FAILED');
    expect(failed.export_failure_reason).toContain('SignatureDoesNotMatch');
    expect(JSON.stringify(failed)).not.toContain('this-is-not-the-secret');
  });
}

async function pageFields(it: Exports, crawl: string): Promise<readonly Json[]> {
  return (await it.service.api(`/data/crawl/${crawl}/pages/fields`)).json.fields as Json[];
}

/** The rows of files as JSON texts of their plain values, sorted, so that the order does not matter. */
async function rowsOf(
  files: readonly Buffer[],
  format: Format,
  delimiter: string | undefined,
  fields: readonly Json[],
): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'crawlhouse-export-'));
  try {
    for (const [index, file] of files.entries()) await writeFile(join(folder, `${index}.part`), file);
    const connection = await temporaryConnection(folder);
    const all = text(`${folder}/*.part`);
    const names = fields.map(({ name }) => text(String(name)));
    const columns = names.map((name) => `${name}: 'VARCHAR'`).join(', ');
    const json = names.map((name) => `${name}: 'JSON'`).join(', ');
    const source = {
      csv: `read_csv(${all}, delim = ${text(delimiter ?? ';')}, header = true, quote = '"', escape = '"', nullstr = '', allow_quoted_nulls = false, columns = {${columns}})`,
      json: `read_json(${all}, format = 'newline_delimited', columns = {${json}}, maximum_object_size = 10000000)`,
      parquet: `read_parquet(${all})`,
    }[format];
    const cells = fields.map((field) => `${plain(field, format)} AS ${ident(String(field.name))}`);
    const rows = await connection.rows<{ row: string }>(
      `SELECT CAST(to_json(t) AS VARCHAR) AS row FROM (SELECT ${cells.join(', ')} FROM ${source}) t ORDER BY 1`,
    );
    return rows.map(({ row }) => row);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** SQL that gives a value the same shape from every format: numbers as numbers, dates as text, lists as lists. */
function plain({ name, type, arity }: Json, format: Format): string {
  const c = ident(String(name));
  if (arity === 'many') {
    if (format === 'csv') return `CAST(${c} AS JSON)`;
    if (format === 'parquet') return `to_json(${c})`;
    return `CASE WHEN json_type(${c}) = 'ARRAY' THEN ${c} WHEN ${c} IS NULL OR json_type(${c}) = 'NULL' THEN NULL ELSE CAST(concat('[', ${c}, ']') AS JSON) END`;
  }
  const value = format === 'json' ? `json_extract_string(${c}, '$')` : c;
  switch (type) {
    case 'natural':
    case 'integer':
      return `CAST(${value} AS BIGINT)`;
    case 'float':
    case 'percentage':
    case 'ratio':
      return `CAST(${value} AS DOUBLE)`;
    case 'bool':
      return `CAST(${value} AS BOOLEAN)`;
    case 'date':
      return `CAST(${value} AS DATE)`;
    case 'datetime':
      return format === 'parquet' ? c : `strptime(${value}, '%Y/%m/%d %H:%M:%S %Z')`;
    case 'object':
      return format === 'json' ? `CAST(${c} AS VARCHAR)` : `CAST(${value} AS VARCHAR)`;
    default:
      return `CAST(${value} AS VARCHAR)`;
  }
}
