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
import type { Inventory } from '../../../project/model/inventory.ts';
import type { Download, RawPart, Source } from '../../../project/model/source.ts';
import { limitsOf } from '../../../project/settings/limits.ts';
import { listObjects } from '../../../stores/list-objects.ts';
import type { ObjectStore, StoredObject } from '../../../stores/object-store.ts';
import { objectBytes } from '../../../stores/read-object.ts';
import { openConfiguredStore, type StoreName } from '../../../stores/registry.ts';
import { type BodyFacts, verifiedBody } from '../download/verified-body.ts';
import { TooManyRows, writeParts } from '../download/write-parts.ts';
import {
  describedRows,
  describingRequests,
  type RouteContext,
  type RoutedUnit,
  type RouteKind,
} from '../route.ts';
import { awaitExport, prefixOf } from './data-export-job.ts';
import { ensureExport } from './ensure-export.ts';

const ANOTHER_EXPORT = 'the unit keeps its former rows; the next run requests another data export';

/** A data export (api-spec.md §4.9). */
export const EXPORT_ROUTE: RouteKind = {
  reason: 'a data export, because of its format or store',
  formats: ({ kind, data_type }) =>
    kind === 'crawl' && (data_type === 'pages' || data_type === 'links') ? ['parquet', 'json', 'csv'] : [],
  // Where a stream can bring the rows too, they are weighed (`weigh-export.ts`).
  suits: () => false,
  // At least: look for one in progress, request one, poll it once.
  requests: (source) => describingRequests(source) + 3,
  open: openExport,
};

/** Requested once an attempt and found again after a kill, waited for, then brought object by object. */
async function openExport(context: RouteContext, routed: RoutedUnit): Promise<Source> {
  const { client, ledger, settings, signal } = context;
  const { planned, chosen } = routed;
  const rows = describedRows(routed);
  const unit = planned.name;
  const target = chosen.store ?? 'store_a';
  const workspaceId = workspaceOf(routed.inventory, planned.unit.source.id);
  const askedAt = performance.now();
  const destination = { format: chosen.format, target, workspaceId };
  const { requested, isNew } = await ensureExport(context, planned, destination);
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
    throw new CrawlhouseError('cut_short', `${unit}: the objects of the data export ${done.id} are gone`);
  }
  const delimiter = done.output_format_parameters?.csv_delimiter ?? ',';
  const { fields } = rows;
  const names = fields.map((field) => field.name);
  const limits = limitsOf(settings);
  const request = { store, objects, format: chosen.format, delimiter, fields: names, reported, limits };
  const parts = extractExport(request, routed.folder, signal);
  const source = {
    reported,
    fields,
    shown: 'some',
    filter: null,
    files: `the ${objects.length} objects of the data export ${done.id} under ${prefixOf(done)} in ${target}`,
    parts: closing(parts, opened.move()),
  } as const;
  // Of one that an earlier attempt had requested, only the rest of the wait is known.
  return isNew ? { ...source, waited } : source;
}

/**
 * The service's message about a bucket that it can't write to is free text. If the store also reports a missing bucket
 * or another region, the settings are wrong, and a retry is useless.
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
  const found = workspaces.find((workspace) => workspace.crawls.items.some((crawl) => crawl.id === crawlId));
  if (found === undefined) throw new Error(`no workspace has the crawl ${crawlId}`);
  return found.id;
}

/** The parts, and the store closed behind them. */
async function* closing<T, R>(parts: AsyncGenerator<T, R>, opened: AsyncDisposable): AsyncGenerator<T, R> {
  await using _opened = opened;
  return yield* parts;
}

interface ObjectsRequest {
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
  /** The content of each object that has several rows, and where it was. */
  const contents = new Map<string, string>();
  for (const [index, object] of objects.entries()) {
    // A folder's marker, or a part without rows; whether rows are missing is seen by their number.
    if (object.size === 0) continue;
    const before = rows;
    const file = basename(object.key);
    const place = join(folder, `object-${String(index + 1).padStart(5, '0')}`);
    makeFolder(place);
    const { body, encoding } = await packedOrNot(objectBytes(store, object, { rate: limits.rate }, signal));
    const facts: BodyFacts = { bytes: 0, sha256: '' };
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
        `${object.url}: its ${rows - before} rows are those of ${twin}`,
        { hint: ANOTHER_EXPORT },
      );
    // A lone link may be there twice.
    if (rows - before > 1) contents.set(facts.sha256, object.url);
    bytes += facts.bytes;
    hash.update(facts.sha256);
  }
  return { bytes, sha256: hash.digest('hex'), rows, header };
}

/** An object's bytes, and whether they are gzip: some stores unpack what is named `.gz`, others name gzip without it. */
async function packedOrNot(
  bytes: AsyncGenerator<Buffer>,
): Promise<{ readonly body: Readable; readonly encoding: 'gzip' | 'identity' }> {
  const first = await bytes.next();
  const whole = async function* (): AsyncGenerator<Buffer> {
    if (!first.done) yield first.value;
    yield* bytes;
  };
  const isGzip = !first.done && first.value[0] === 0x1f && first.value[1] === 0x8b;
  return {
    body: Readable.from(whole(), { objectMode: false }),
    encoding: isGzip ? 'gzip' : 'identity',
  };
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
