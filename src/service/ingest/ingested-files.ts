import { randomBytes } from 'node:crypto';
import { createWriteStream, readdirSync, rmSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { makeFolder } from '../../core/files/make-folder.ts';
import { readLines } from '../../core/files/read-lines.ts';
import type { Logger } from '../../core/logs/logger.ts';
import { Semaphore } from '../../core/queue/semaphore.ts';
import type { Clock } from '../resources/clock.ts';
import { duplicateEntry } from '../resources/refusal.ts';
import type { Resources, StoredResource } from '../resources/resources.ts';
import { readFile, UnreadableFile } from './read-file.ts';

interface IngestWork {
  readonly resources: Resources;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly stateDir: string;
}

/**
 * Receives ingest files and processes them in the background, one at a time: `UPLOADING` → `UPLOADED` → `PROCESSING` →
 * `PROCESSED` or `ERROR`. After a kill, the next start processes the remaining files.
 */
export class IngestedFiles implements AsyncDisposable {
  readonly #work: IngestWork;
  readonly #dir: string;
  readonly #ending = new AbortController();
  readonly #places = new Semaphore(1);
  readonly #running = new Set<Promise<void>>();

  constructor(work: IngestWork) {
    this.#work = work;
    this.#dir = join(work.stateDir, 'ingest');
    makeFolder(this.#dir);
    this.#takeUp();
  }

  /**
   * Receives a file whole, and begins to process it.
   *
   * @throws Refusal for a name that the project has already: a new file's id only appears in the list
   */
  async receive(projectId: string, name: string, content: Readable): Promise<StoredResource> {
    const { resources, clock } = this.#work;
    const usable = resources.list('ingest_files', projectId).filter((file) => file.status !== 'ERROR');
    if (usable.some((file) => file.name === name))
      throw duplicateEntry('file', `the project ${projectId} has an ingest file ${name} already`);
    const id = randomBytes(12).toString('hex');
    const path = this.#path(id);
    resources.put('ingest_files', projectId, newRecord(id, projectId, name, clock.now()));
    try {
      await pipeline(content, createWriteStream(`${path}.partial`));
      await rename(`${path}.partial`, path);
    } catch (error) {
      await rm(`${path}.partial`, { force: true });
      this.#update(id, { status: 'ERROR', error_message: 'the upload was cut off' });
      throw error;
    }
    return this.#update(id, { status: 'UPLOADED' });
  }

  /** Processes a file that has been received. */
  process(id: string): void {
    const running = this.#places.run(() => this.#process(id)).finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  /** Returns the URLs of the given files that contain only URLs. */
  async *seeds(ids: readonly string[]): AsyncGenerator<string> {
    for (const id of ids) {
      if (this.#work.resources.get('ingest_files', id)?.kind !== 'seed') continue;
      for await (const { line } of readLines(this.#path(id))) yield line.trim().replace(/^"|"$/g, '');
    }
  }

  async remove(id: string): Promise<void> {
    this.#work.resources.delete('ingest_files', id);
    await rm(this.#path(id), { force: true });
  }

  async #process(id: string): Promise<void> {
    const { signal } = this.#ending;
    if (signal.aborted || this.#work.resources.get('ingest_files', id) === undefined) return;
    this.#update(id, { status: 'PROCESSING' });
    try {
      this.#update(id, { ...(await readFile(this.#path(id), signal)), status: 'PROCESSED' });
    } catch (error) {
      if (signal.aborted) return;
      const known = error instanceof UnreadableFile;
      if (!known) this.#work.logger.error('ingest file failed', { id, error: String(error) });
      this.#update(id, {
        status: 'ERROR',
        error_message: known ? error.message : 'the file could not be read',
      });
    }
  }

  #takeUp(): void {
    const files = this.#work.resources.list('ingest_files');
    for (const { id, status } of files.toReversed()) {
      if (status === 'UPLOADING')
        this.#update(id, { status: 'ERROR', error_message: 'the upload was cut off' });
      if (status === 'UPLOADED' || status === 'PROCESSING') this.process(id);
    }
    const known = new Set(files.map(({ id }) => id));
    for (const file of readdirSync(this.#dir)) if (!known.has(file)) rmSync(join(this.#dir, file));
  }

  #update(id: string, changes: Readonly<Record<string, unknown>>): StoredResource {
    const known = this.#work.resources.get('ingest_files', id);
    const doc = { ...known, ...changes, id };
    if (known !== undefined) this.#work.resources.put('ingest_files', String(known.project_id), doc);
    return doc;
  }

  #path(id: string): string {
    return join(this.#dir, id);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#ending.abort();
    await Promise.allSettled(this.#running);
  }
}

function newRecord(id: string, projectId: string, name: string, createdAt: number): StoredResource {
  return {
    id,
    project_id: projectId,
    name,
    status: 'UPLOADING',
    kind: 'ingest',
    created_at: createdAt,
    detailed_invalid_lines: {},
    error_message: null,
    fields: {},
    valid_lines: 0,
    invalid_lines: 0,
    lines_errors_messages: {},
    size: 0,
  };
}
