import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { createWriteStream, existsSync, readdirSync, rmSync } from 'node:fs';
import { rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { z } from 'zod';
import type { CSV_DELIMITERS } from '../../client/resources/data-exports.ts';
import type { RankingExportInput } from '../../client/resources/ranking-performance.ts';
import { makeFolder } from '../../core/files/make-folder.ts';
import { exportRecord, readingFailure, updateExport } from '../resources/export-record.ts';
import { Refusal } from '../resources/refusal.ts';
import type { StoredResource } from '../resources/resources.ts';
import { csvHeader, csvLine, jsonLine, streamLines } from '../rows/export-lines.ts';
import type { ServiceState } from '../rows/service-state.ts';
import { DATE_FIELD, filtersOn, type RankingTable } from './ranking-table.ts';

const LINE_BYTES = 200;
const PARTIAL = '.partial';

interface DownloadWork extends Omit<ServiceState, 'logger'> {
  readonly stateDir: string;
}

/**
 * Writes the files of ranking performance exports in the background and keeps them until they expire: `REQUESTED` →
 * `EXPORTING` → `DONE` or `FAILED`. The record's `target_parameters` has the address of a finished file.
 */
export class DownloadCenter implements AsyncDisposable {
  readonly #work: DownloadWork;
  readonly #dir: string;
  readonly #ending = new AbortController();
  readonly #running = new Set<Promise<void>>();

  constructor(work: DownloadWork) {
    this.#work = work;
    this.#dir = join(work.stateDir, 'downloads');
    // Exports that a killed process had begun.
    if (!existsSync(this.#dir)) return;
    for (const file of readdirSync(this.#dir))
      if (file.endsWith(PARTIAL)) rmSync(join(this.#dir, file), { force: true });
  }

  start(job: DownloadJob): void {
    const running = this.#run(job).finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  /** Returns the file at an address; undefined for an unknown or expired one. */
  async find(token: string) {
    const { resources, clock } = this.#work;
    const doc = resources
      .list('data_exports')
      .find((resource) => isSame((resource._download as { token: string } | undefined)?.token, token));
    if (doc === undefined || doc.status !== 'DONE') return undefined;
    const path = this.#pathOf(doc.id);
    if (Number(doc.expiration_date) <= clock.now()) {
      await rm(path, { force: true });
      return undefined;
    }
    if (!existsSync(path)) return undefined;
    return { path, name: (doc._download as { file: string }).file, size: (await stat(path)).size };
  }

  async #run(job: DownloadJob): Promise<void> {
    const { signal } = this.#ending;
    const path = this.#pathOf(job.id);
    const partial = `${path}${PARTIAL}`;
    try {
      updateExport(this.#work.resources, job.id, { status: 'EXPORTING' });
      makeFolder(this.#dir);
      let count = 0;
      const lines = this.#lines(job, (rows) => {
        count = rows;
      });
      await pipeline(Readable.from(lines, { objectMode: false }), createWriteStream(partial), { signal });
      await rename(partial, path);
      updateExport(this.#work.resources, job.id, {
        status: 'DONE',
        output_row_count: count,
        output_size_in_bytes: (await stat(path)).size,
        target_parameters: { download_url: job.url },
      });
    } catch (error) {
      await rm(partial, { force: true });
      if (signal.aborted) return;
      const reason = readingFailure(this.#work.resources, 'projects', job.projectId, error);
      updateExport(this.#work.resources, job.id, { status: 'FAILED', export_failure_reason: reason });
    }
  }

  async *#lines(job: DownloadJob, onCount: (rows: number) => void): AsyncGenerator<Buffer> {
    const { table, format, delimiter, limit, offset } = job;
    const line = format === 'csv' ? csvLine(table.columns, '\n', delimiter) : jsonLine(table.columns, '\n');
    const paging = `${limit === undefined ? '' : `LIMIT ${limit}`} OFFSET ${offset}`;
    const source = `${table.sql} ${paging}`;
    if (format === 'csv') yield Buffer.from(`${csvHeader(table.columns, delimiter)}\n`);
    yield* this.#work.rows.stream(async function* (connection) {
      onCount(Number(await connection.scalar(`SELECT count(*) FROM (${source})`, table.values)));
      yield* streamLines(connection, `SELECT ${line} AS line FROM (${source})`, table.values, LINE_BYTES);
    }, this.#ending.signal);
  }

  #pathOf(id: string): string {
    return join(this.#dir, id);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#ending.abort();
    await Promise.allSettled(this.#running);
  }
}

/** Compares in constant time. */
function isSame(known: string | undefined, given: string): boolean {
  if (known === undefined) return false;
  const [a, b] = [known, given].map((one) => createHash('sha256').update(one).digest());
  return a !== undefined && b !== undefined && timingSafeEqual(a, b);
}

const DAY = 86_400_000;
/** How long the download center keeps a file. */
const KEPT = 7 * DAY;

/** An export to the download center that was checked and recorded, with its inputs. */
export interface DownloadJob {
  readonly id: string;
  readonly projectId: string;
  readonly table: RankingTable;
  readonly format: 'csv' | 'json';
  readonly delimiter: (typeof CSV_DELIMITERS)[number];
  readonly limit: number | undefined;
  readonly offset: number;
  /** Unguessable: anyone who knows it may fetch the file. */
  readonly token: string;
  readonly url: string;
}

/**
 * Returns the record of a requested export of ranking performance (api-spec.md §4.2), and the work to do.
 *
 * @throws Refusal `invalid_request`
 */
export function rankingExport(
  project: StoredResource,
  table: RankingTable,
  {
    request,
    output_format: format,
    output_format_parameters: parameters,
  }: z.output<typeof RankingExportInput>,
  { now, address }: { readonly now: number; readonly address: string },
): { readonly record: StoredResource; readonly job: DownloadJob } {
  if (!filtersOn(table.oql, DATE_FIELD))
    throw new Refusal('invalid_request', 'request.oql: an export needs a filter on date');
  if (format !== 'csv' && parameters?.csv_delimiter !== undefined)
    throw new Refusal('invalid_request', `csv_delimiter does not apply to ${format}`);
  const id = randomBytes(12).toString('hex');
  const token = randomBytes(24).toString('base64url');
  const delimiter = parameters?.csv_delimiter ?? ';';
  const file = `ranking_performance-${id}.${format === 'csv' ? 'csv' : 'jsonl'}`;
  const exported = {
    data_type: 'keyword',
    resource_id: project.id,
    output_format: format,
    output_format_parameters: parameters,
    target: 'download_center',
    target_parameters: {},
  };
  const record = {
    ...exportRecord(id, exported, now),
    expiration_date: now + KEPT,
    _download: { token, file },
  };
  const { limit, offset = 0 } = request;
  const url = `${address}/downloads/${token}/${file}`;
  return { record, job: { id, projectId: project.id, table, format, delimiter, limit, offset, token, url } };
}
