import { rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type {
  DataExportRequest,
  ExportFormat,
  ExportTarget,
} from '../../../client/resources/data-exports.ts';
import { Semaphore } from '../../../core/queue/semaphore.ts';
import type { Column } from '../../fields/column.ts';
import { readingFailure, updateExport } from '../../resources/export-record.ts';
import type { Resources, StoredDataset } from '../../resources/resources.ts';
import type { ServiceData } from '../../rows/service-state.ts';
import { findSecret, storeBCredentials } from './find-secret.ts';
import { gcsUploader, s3Uploader, type Uploader } from './uploader.ts';
import { type WrittenFile, writeFiles } from './write-files.ts';

const EXTENSIONS: Readonly<Record<ExportFormat, string>> = { csv: 'csv', json: 'jsonl', parquet: 'parquet' };

interface ExportObjects {
  readonly prefix: string;
  readonly exportId: string;
  readonly format: ExportFormat;
  readonly gzip: boolean;
}

type TargetEndpoints = Readonly<Record<ExportTarget, string>>;

/** An export that has been checked and recorded, with its inputs. */
export interface ExportJob {
  readonly id: string;
  readonly request: DataExportRequest;
  readonly dataset: StoredDataset;
  readonly columns: readonly Column[];
}

interface ExportWork extends ServiceData {
  readonly endpoints: TargetEndpoints;
  /** The settings of all exports, fixed at the start of the sandbox. */
  readonly settings: {
    /** Objects per export, if it has as many rows. */
    readonly objects: number;
    /** Whether csv and json are compressed. */
    readonly gzip: boolean;
  };
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
export class ExportJobs implements AsyncDisposable {
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
      updateExport(this.#work.resources, job.id, { status: 'EXPORTING' });
      const { rows, settings } = this.#work;
      const format = job.request.output_format;
      const gzip = settings.gzip && format !== 'parquet';
      const delimiter = job.request.output_format_parameters?.csv_delimiter ?? ';';
      const written = { format, delimiter, gzip, objects: settings.objects };
      const files = await writeFiles(rows, { ...job.dataset, columns: job.columns }, written, dir, signal);
      updateExport(this.#work.resources, job.id, { status: 'UPLOADING' });
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
    updateExport(this.#work.resources, id, {
      status: 'DONE',
      output_row_count: files.reduce((sum, file) => sum + file.rows, 0),
      output_size_in_bytes: files.reduce((sum, file) => sum + file.size, 0),
    });
  }

  #fail(id: string, reason: string): void {
    updateExport(this.#work.resources, id, { status: 'FAILED', export_failure_reason: reason });
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

/**
 * Returns the target bucket of an export, with the current keys from its secret. `secret` must not appear in any
 * output.
 *
 * @throws Refusal if the secret no longer exists
 */
export function exportTarget(resources: Resources, endpoints: TargetEndpoints, request: DataExportRequest) {
  if (request.target === 'store_a') {
    const { store_a_bucket: bucket, store_a_prefix: prefix } = request.target_parameters;
    const open = (): Promise<Uploader> => gcsUploader({ endpoint: endpoints.store_a, bucket });
    return { open, bucket, prefix, secret: undefined };
  }
  const parameters = request.target_parameters;
  const { store_b_bucket: bucket, store_b_prefix: prefix, store_b_region: region } = parameters;
  const value = String(findSecret(resources, parameters.store_b_credentials)._value);
  const keys = storeBCredentials(value);
  if (keys === undefined) throw new Error(`the secret ${parameters.store_b_credentials} contains no keys`);
  const target = { bucket, region, accessKey: keys.access_key, secretKey: keys.secret_key };
  const open = (): Promise<Uploader> => s3Uploader({ ...target, endpoint: endpoints.store_b });
  return { open, bucket, prefix, secret: keys.secret_key };
}

/** Returns the `export_failure_reason` of a failed upload: the store and its message. */
export function failureReason(error: unknown, target: string, secret: string | undefined): string {
  const { name, message, code } = error as { name?: unknown; message?: unknown; code?: unknown };
  const nameless = typeof name !== 'string' || name === 'Error' || name === 'ApiError';
  const what = nameless ? (code === undefined ? '' : String(code)) : name;
  const text = [what, String(message ?? error)].filter((part) => part !== '').join(': ');
  const said = `the upload to ${target} failed: ${text}`.replace(/\s+/g, ' ').slice(0, 500);
  return secret === undefined || secret === '' ? said : said.replaceAll(secret, '[redacted]');
}

/** Returns the key of an export's object, counted from 1: `<prefix>/<data_export_id>-00001.csv.gz`. */
export function objectKey({ prefix, exportId, format, gzip }: ExportObjects, number: number): string {
  const folder = prefix === '' || prefix.endsWith('/') ? prefix : `${prefix}/`;
  const name = `${exportId}-${String(number).padStart(5, '0')}.${EXTENSIONS[format]}`;
  return `${folder}${name}${gzip ? '.gz' : ''}`;
}
