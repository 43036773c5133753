import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { rename } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { parquetRows } from '../../../core/duckdb/parquet-rows.ts';
import { CrawlhouseError } from '../../../core/errors/errors.ts';
import { makeFolder } from '../../../core/files/make-folder.ts';
import { type Limits, mostContent } from '../../../core/net/limits.ts';
import type { Download, RawPart } from '../../../project/model/raw-part.ts';
import type { ObjectStore, StoredObject } from '../../../stores/object-store.ts';
import { objectBytes } from '../../../stores/read-object.ts';
import { type BodyFacts, verifiedBody } from '../download/verified-body.ts';
import { TooManyRows, writeParts } from '../download/write-parts.ts';

export interface ObjectsRequest {
  readonly store: ObjectStore;
  /** All objects of the data export, by key. */
  readonly objects: readonly StoredObject[];
  readonly format: 'csv' | 'json' | 'parquet';
  /** Of a CSV. */
  readonly delimiter: string;
  /** Rows that the service reports of all objects together. */
  readonly reported: number;
  readonly limits: Limits;
  /** Names of the fields that the service lists for the rows. */
  readonly fields: readonly string[];
}

/**
 * Brings the objects of a finished data export, one after the other, and checks the length and checksum of each. Text
 * is cut into raw parts while it arrives. A Parquet file stays whole.
 *
 * @throws CrawlhouseError retriable when an object is cut, replaced or gone
 */
export async function* extractExport(
  { store, objects, format, delimiter, fields, reported, limits }: ObjectsRequest,
  folder: string,
  signal: AbortSignal,
): AsyncGenerator<RawPart, Download> {
  const hash = createHash('sha256');
  let bytes = 0;
  let rows = 0;
  let header: readonly string[] | null = null;
  for (const [index, object] of objects.entries()) {
    const file = basename(object.key);
    const place = join(folder, `object-${String(index + 1).padStart(5, '0')}`);
    makeFolder(place);
    const body = Readable.from(objectBytes(store, object, { rate: limits.rate }, signal), {
      objectMode: false,
    });
    const facts: BodyFacts = { bytes: 0, sha256: '' };
    const encoding = /\.gz$/i.test(object.key) ? 'gzip' : undefined;
    const content = verifiedBody(body, object.key, facts, {
      encoding,
      bytes: mostContent(reported, limits),
    });
    if (format === 'parquet') {
      const part = await wholeFile(content, place, file);
      rows += part.rows;
      if (rows > reported) throw new TooManyRows(rows);
      yield part;
    } else {
      const parts = writeParts(content, {
        folder: place,
        format,
        file,
        delimiter,
        fields,
        mostRows: reported - rows,
        mostRecord: limits.record,
      });
      for (;;) {
        const next = await parts.next();
        if (next.done) {
          header = sameHeader(header, next.value, object.key);
          break;
        }
        rows += next.value.rows;
        yield next.value;
      }
    }
    bytes += facts.bytes;
    hash.update(facts.sha256);
  }
  return { bytes, sha256: hash.digest('hex'), rows, header };
}

/** A Parquet file on disk, under its final name once it is whole. */
async function wholeFile(content: AsyncIterable<Buffer>, folder: string, file: string): Promise<RawPart> {
  const path = join(folder, 'part-00001.parquet');
  await pipeline(content, createWriteStream(`${path}.partial`));
  await rename(`${path}.partial`, path);
  return {
    path,
    format: 'parquet',
    file,
    firstLine: 1,
    rows: await parquetRows(path, file),
    header: null,
    delimiter: null,
  };
}

/** The objects of one export have one header. */
function sameHeader(
  before: readonly string[] | null,
  now: readonly string[] | null,
  key: string,
): readonly string[] | null {
  if (before === null || now === null || before.join('\0') === now.join('\0')) return now ?? before;
  throw new CrawlhouseError(
    'contract_broken',
    `${key}:1: the header differs from that of the earlier objects`,
  );
}
