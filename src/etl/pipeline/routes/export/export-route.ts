import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { rename } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { parquetRows } from '../../../../core/duckdb/parquet-rows.ts';
import { CrawlhouseError } from '../../../../core/errors/errors.ts';
import { makeFolder } from '../../../../core/files/make-folder.ts';
import { type Limits, mostContent } from '../../../../core/net/download-limits.ts';
import { listObjects } from '../../../../core/stores/list-objects.ts';
import type { ObjectStore, StoredObject } from '../../../../core/stores/object-store.ts';
import { objectBytes } from '../../../../core/stores/read-object.ts';
import { openConfiguredStore, type StoreName } from '../../../../core/stores/registry.ts';
import type { Download, DownloadFacts, Part } from '../../../project/model/download.ts';
import type { Inventory } from '../../../project/model/inventory.ts';
import { limitsOf } from '../../../project/settings/limits.ts';
import { type BodyFacts, verifiedBody } from '../download/verified-body.ts';
import { TooManyRows, writeParts } from '../download/write-parts.ts';
import {
  describedRows,
  describingRequests,
  type RouteContext,
  type RouteKind,
  type RouteRequest,
} from '../route.ts';
import { awaitExport, prefixOf } from './data-export-job.ts';
import { ensureExport } from './ensure-export.ts';

const ANOTHER_EXPORT = 'the unit keeps its previous rows; the next run requests another data export';

/** A data export (api-spec.md §4.9). */
export const EXPORT_ROUTE: RouteKind = {
  reason: 'a data export, because of its format or store',
  formats: ({ kind, data_type }) =>
    kind === 'crawl' && (data_type === 'pages' || data_type === 'links') ? ['parquet', 'json', 'csv'] : [],
  // Where a stream is possible too, the two are weighed (`weigh-export.ts`).
  suits: () => false,
  // At least: look for one in progress, request one, poll it once.
  requests: (source) => describingRequests(source) + 3,
  open: openExport,
};

/** Requests an export once per attempt, finds it again after a kill, waits for it, and downloads its objects. */
async function openExport(context: RouteContext, routed: RouteRequest): Promise<Download> {
  const { client, ledger, settings, signal } = context;
  const { task, chosen } = routed;
  const rows = describedRows(routed);
  const unit = task.name;
  const target = chosen.store ?? 'store_a';
  const workspaceId = workspaceOf(context.inventory, task.unit.source.id);
  const askedAt = performance.now();
  const destination = { format: chosen.format, target, workspaceId };
  const { requested, isNew } = await ensureExport(context, task, destination);
  const done = await awaitExport(client, requested, {
    workspaceId,
    waitMs: limitsOf(settings).exportWait,
    signal,
    onStatus: async (status) => {
      await ledger.setExportStatus(unit, status);
      context.progress(`${unit}: data export ${status}`);
    },
  }).catch(async (error: unknown) => {
    if (!(error instanceof CrawlhouseError) || error.code !== 'export_failed') throw error;
    await ledger.setExportStatus(unit, 'FAILED');
    throw (await wrongSettings(context, target, prefixOf(requested), error)) ?? error;
  });
  const waited = Math.round(performance.now() - askedAt) / 1000;
  const reported = done.output_row_count ?? rows.reported;
  if (reported !== rows.reported) {
    throw new CrawlhouseError(
      'unreconciled',
      `${unit}: the service counts ${rows.reported} rows, its data export ${done.id} has ${reported}`,
      { hint: ANOTHER_EXPORT },
    );
  }
  await using opened = new AsyncDisposableStack();
  const store = opened.use(await openConfiguredStore(settings, target));
  const objects = await listObjects(store, prefixOf(done), signal);
  if (objects.length === 0 && reported > 0) {
    await ledger.setExportStatus(unit, 'GONE');
    throw new CrawlhouseError(
      'cut_short',
      `${unit}: the objects of the data export ${done.id} no longer exist`,
    );
  }
  const delimiter = done.output_format_parameters?.csv_delimiter ?? ',';
  const { fields } = rows;
  const names = fields.map((field) => field.name);
  const limits = limitsOf(settings);
  const request = { store, objects, format: chosen.format, delimiter, fields: names, reported, limits };
  const parts = extractExport(request, routed.folder, signal);
  const download = {
    reported,
    fields,
    shown: 'some',
    filter: null,
    files: `the ${objects.length} objects of the data export ${done.id} under ${prefixOf(done)} in ${target}`,
    parts: closing(parts, opened.move()),
  } as const;
  // If an earlier attempt had requested it, only the rest of the wait is known.
  return isNew ? { ...download, waited } : download;
}

/**
 * Returns the error of wrong settings, if any. The service's message about a bucket that it cannot write to is free
 * text. If the store also reports a missing bucket or a different region, the settings are wrong, and a retry is
 * useless.
 */
async function wrongSettings(
  { settings, signal }: RouteContext,
  target: StoreName,
  prefix: string,
  failed: CrawlhouseError,
): Promise<CrawlhouseError | null> {
  try {
    await using store = await openConfiguredStore(settings, target);
    await listObjects(store, prefix, signal);
  } catch (error) {
    if (error instanceof CrawlhouseError && error.code === 'bad_settings') {
      const { hint } = error;
      const message = `${error.message}; ${failed.message}`;
      return new CrawlhouseError('bad_settings', message, { cause: failed, hint });
    }
    signal.throwIfAborted();
  }
  return null;
}

function workspaceOf({ workspaces }: Inventory, crawlId: string): string {
  const workspace = workspaces.find(({ crawls }) => crawls.items.some((crawl) => crawl.id === crawlId));
  if (workspace === undefined) throw new Error(`no workspace has the crawl ${crawlId}`);
  return workspace.id;
}

/** Yields the parts, then closes the store. */
async function* closing<T, R>(parts: AsyncGenerator<T, R>, opened: AsyncDisposable): AsyncGenerator<T, R> {
  await using _opened = opened;
  return yield* parts;
}

interface ObjectsRequest {
  readonly store: ObjectStore;
  /** All objects of the data export, by key. */
  readonly objects: readonly StoredObject[];
  readonly format: 'csv' | 'json' | 'parquet';
  /** Delimiter of a CSV file. */
  readonly delimiter: string;
  /** Rows that the service reports for all objects together. */
  readonly reported: number;
  readonly limits: Limits;
  /** Names of the fields that the service lists for the rows. */
  readonly fields: readonly string[];
}

/**
 * Downloads the objects of a finished data export in order, and checks the length and checksum of each. Text is split
 * into raw parts while it arrives. A Parquet file stays whole.
 *
 * @throws CrawlhouseError retriable when an object is cut, replaced or gone
 */
export async function* extractExport(
  { store, objects, format, delimiter, fields, reported, limits }: ObjectsRequest,
  folder: string,
  signal: AbortSignal,
): AsyncGenerator<Part, DownloadFacts> {
  const hash = createHash('sha256');
  let bytes = 0;
  let rows = 0;
  let header: readonly string[] | null = null;
  /** The content of each object with several rows, and its place. */
  const contents = new Map<string, string>();
  for (const [index, object] of objects.entries()) {
    // A folder's marker, or a part without rows. The number of rows shows whether rows are missing.
    if (object.size === 0) continue;
    const before = rows;
    const file = basename(object.key);
    const place = join(folder, `object-${String(index + 1).padStart(5, '0')}`);
    makeFolder(place);
    const { body, encoding } = await packedOrNot(objectBytes(store, object, { rate: limits.rate }, signal));
    const facts: BodyFacts = { bytes: 0, sha256: '' };
    const content = verifiedBody(body, object.key, facts, { encoding, bytes: mostContent(reported, limits) });
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
        mostRows: reported,
        rowsBefore: rows,
        isStored: true,
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
    const twin = contents.get(facts.sha256);
    if (twin !== undefined)
      throw new CrawlhouseError(
        'unreconciled',
        `${object.url}: its ${rows - before} rows are the rows of ${twin}`,
        { hint: ANOTHER_EXPORT },
      );
    // A single link may occur twice.
    if (rows - before > 1) contents.set(facts.sha256, object.url);
    bytes += facts.bytes;
    hash.update(facts.sha256);
  }
  return { bytes, sha256: hash.digest('hex'), rows, header };
}

/**
 * Returns an object's bytes, and whether they are gzip: some stores decompress objects named `.gz`, others have gzip
 * without that name.
 */
async function packedOrNot(
  bytes: AsyncGenerator<Buffer>,
): Promise<{ readonly body: Readable; readonly encoding: 'gzip' | 'identity' }> {
  const first = await bytes.next();
  const whole = async function* (): AsyncGenerator<Buffer> {
    if (!first.done) yield first.value;
    yield* bytes;
  };
  const isGzip = !first.done && first.value[0] === 0x1f && first.value[1] === 0x8b;
  return { body: Readable.from(whole(), { objectMode: false }), encoding: isGzip ? 'gzip' : 'identity' };
}

/** Writes a Parquet file to disk, under its final name once it is complete. */
async function wholeFile(content: AsyncIterable<Buffer>, folder: string, file: string): Promise<Part> {
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

/** Checks that the objects of an export all have the same header. */
function sameHeader(
  before: readonly string[] | null,
  now: readonly string[] | null,
  key: string,
): readonly string[] | null {
  if (before === null || now === null || before.join('\0') === now.join('\0')) return now ?? before;
  throw new CrawlhouseError(
    'contract_broken',
    `${key}:1: the header differs from the header of earlier objects`,
  );
}
