import { rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Semaphore } from '../../../core/queue/semaphore.ts';
import type { DataExportRequest, ExportFormat } from '../../api/data-exports.ts';
import type { Column } from '../catalogue/column.ts';
import type { Dataset, Document, Resources } from '../resources/resources.ts';
import { WORKSPACE_ID } from '../resources/seed.ts';
import type { ServiceRows } from '../rows/row-store.ts';
import { exportTarget, type TargetEndpoints } from './export-target.ts';
import { failureReason } from './failure-reason.ts';
import { objectKey } from './object-key.ts';
import { readingFailure } from './reading-failure.ts';
import { type WrittenFile, writeFiles } from './write-files.ts';

/** How every export of the sandbox is written: a setting of its start. */
interface ExportSettings {
  /** Objects an export, where it has as many rows. */
  readonly objects: number;
  /** Whether csv and json are compressed. */
  readonly gzip: boolean;
}

/** An export that has been checked and recorded, with its inputs. */
export interface ExportJob {
  readonly id: string;
  readonly request: DataExportRequest;
  readonly dataset: Dataset;
  readonly columns: readonly Column[];
}

export interface ExportWork {
  readonly resources: Resources;
  readonly rows: ServiceRows;
  readonly endpoints: TargetEndpoints;
  readonly settings: ExportSettings;
  readonly stateDir: string;
}

const UNFINISHED: readonly unknown[] = ['REQUESTED', 'EXPORTING', 'UPLOADING'];
const CONTENT_TYPES: Readonly<Record<ExportFormat, string>> = {
  csv: 'text/csv',
  json: 'application/x-ndjson',
  parquet: 'application/vnd.apache.parquet',
};
const GZIP = 'application/gzip';

/**
 * Runs data exports in the background, one at a time: rows to files, files to the bucket, `REQUESTED` → `EXPORTING` →
 * `UPLOADING` → `DONE` or `FAILED`. Closing ends the one that runs.
 */
export class DataExports implements AsyncDisposable {
  readonly #work: ExportWork;
  readonly #dir: string;
  readonly #ending = new AbortController();
  readonly #places = new Semaphore(1);
  readonly #running = new Set<Promise<void>>();

  constructor(work: ExportWork) {
    this.#work = work;
    this.#dir = join(work.stateDir, 'exports');
    rmSync(this.#dir, { recursive: true, force: true });
    this.#failUnfinished();
  }

  start(job: ExportJob): void {
    const running = this.#places.run(() => this.#run(job)).finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  async #run(job: ExportJob): Promise<void> {
    const { signal } = this.#ending;
    if (signal.aborted) return;
    const dir = join(this.#dir, job.id);
    try {
      this.#update(job.id, { status: 'EXPORTING' });
      const { rows, settings } = this.#work;
      const format = job.request.output_format;
      const gzip = settings.gzip && format !== 'parquet';
      const delimiter = job.request.output_format_parameters?.csv_delimiter ?? ';';
      const written = { format, delimiter, gzip, objects: settings.objects };
      const files = await writeFiles(rows, { ...job.dataset, columns: job.columns }, written, dir, signal);
      this.#update(job.id, { status: 'UPLOADING' });
      await this.#upload(job, files, gzip, signal);
    } catch (error) {
      // An export that ends with the sandbox is found unfinished, and so failed, at its next start.
      const { resource_id } = job.request;
      if (!signal.aborted)
        this.#fail(job.id, readingFailure(this.#work.resources, 'crawls', resource_id, error));
    } finally {
      await rm(dir, { recursive: true, force: true });
    }
  }

  async #upload(
    { id, request }: ExportJob,
    files: readonly WrittenFile[],
    gzip: boolean,
    signal: AbortSignal,
  ) {
    const { resources, endpoints } = this.#work;
    const { open, bucket, prefix, secret } = exportTarget(resources, endpoints, request);
    const format = request.output_format;
    try {
      using uploader = await open();
      for (const [index, { path, size }] of files.entries()) {
        const key = objectKey({ prefix, exportId: id, format, gzip }, index + 1);
        const contentType = gzip ? GZIP : CONTENT_TYPES[format];
        await uploader.upload({ path, size, key, contentType }, signal);
        await rm(path);
      }
    } catch (error) {
      if (!signal.aborted) this.#fail(id, failureReason(error, `${request.target} ${bucket}`, secret));
      return;
    }
    this.#update(id, {
      status: 'DONE',
      output_row_count: files.reduce((sum, file) => sum + file.rows, 0),
      output_size_in_bytes: files.reduce((sum, file) => sum + file.size, 0),
    });
  }

  #fail(id: string, reason: string): void {
    this.#update(id, { status: 'FAILED', export_failure_reason: reason });
  }

  #update(id: string, changes: Readonly<Record<string, unknown>>): void {
    const known: Document | undefined = this.#work.resources.get('data_exports', id);
    if (known !== undefined) this.#work.resources.put('data_exports', WORKSPACE_ID, { ...known, ...changes });
  }

  #failUnfinished(): void {
    for (const doc of this.#work.resources.list('data_exports'))
      if (UNFINISHED.includes(doc.status))
        this.#fail(doc.id, 'the service was restarted while the export ran');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#ending.abort();
    await Promise.allSettled(this.#running);
  }
}
