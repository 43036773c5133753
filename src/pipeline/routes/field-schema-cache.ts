import { CrawlhouseError } from '../../core/errors.ts';
import type { ServiceClient } from '../../service/api/client.ts';
import type { DataSource } from '../../service/api/data-source.ts';
import type { FieldRecord } from '../../service/api/fields.ts';

/**
 * The fields that the service lists for rows. It does so for crawls. For comparisons and logs, the specification has no
 * such operation. If a service answers it, the answer is used (spec-notes.md 11). Each kind is tried once a run.
 */
export class FieldSchemaCache {
  readonly #client: ServiceClient;
  readonly #signal: AbortSignal;
  readonly #tried = new Map<DataSource['kind'], Promise<FieldRecord[] | null>>();

  constructor(client: ServiceClient, signal: AbortSignal) {
    this.#client = client;
    this.#signal = signal;
  }

  /** Null where the pipeline file has to say. */
  async of(source: DataSource): Promise<FieldRecord[] | null> {
    if (source.kind === 'crawl') return this.#client.fields(source, this.#signal);
    const tried = this.#tried.get(source.kind);
    if (tried) return (await tried) && this.#ask(source);
    const first = this.#ask(source);
    this.#tried.set(source.kind, first);
    return first;
  }

  async #ask(source: DataSource): Promise<FieldRecord[] | null> {
    try {
      return await this.#client.fields(source, this.#signal);
    } catch (error) {
      // Any answer but "later" means that the service does not report them.
      if (error instanceof CrawlhouseError && !['retriable', 'interrupted'].includes(error.kind)) return null;
      throw error;
    }
  }
}
