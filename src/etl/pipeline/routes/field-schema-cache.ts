import type { ServiceClient } from '../../../client/http/service-client.ts';
import type { DataSource } from '../../../client/resources/data-source.ts';
import type { FieldRecord } from '../../../client/resources/fields.ts';
import type { ErrorKind } from '../../../core/errors/error-codes.ts';
import { toCrawlhouseError } from '../../../core/errors/errors.ts';

/**
 * Caches the fields that the service lists for rows. The service lists fields for crawls. For comparisons and logs, the
 * specification has no such operation, but a response is used if a service sends one (spec-notes.md 11). Each kind is
 * tried once per run. A 403 concerns one source and implies nothing about the others.
 */
export class FieldSchemaCache {
  readonly #client: ServiceClient;
  readonly #signal: AbortSignal;
  /** Whether the service reports a kind; undefined if the response did not show it. */
  readonly #tried = new Map<DataSource['kind'], Promise<boolean | undefined>>();

  constructor(client: ServiceClient, signal: AbortSignal) {
    this.#client = client;
    this.#signal = signal;
  }

  /** Returns the fields; null if the pipeline file must declare them. */
  async of(source: DataSource): Promise<FieldRecord[] | null> {
    const ask = (): Promise<FieldRecord[]> => this.#client.fields(source, this.#signal);
    if (source.kind === 'crawl') return ask();
    const tried = this.#tried.get(source.kind);
    const isReported = tried && (await tried);
    if (isReported === false) return null;
    const asked = ask();
    if (isReported === undefined) this.#tried.set(source.kind, saysWhether(asked));
    return asked.catch((error: unknown) => {
      const { kind } = toCrawlhouseError(error);
      // Where the service reports fields, a forbidden source does not get a shorter list.
      if (OF_ONE_REQUEST.includes(kind) && !(kind === 'forbidden' && isReported === undefined)) throw error;
      return null;
    });
  }
}

/** Kinds of errors that do not show whether the service reports a kind of rows. */
const OF_ONE_REQUEST: readonly ErrorKind[] = ['retriable', 'access', 'forbidden', 'interrupted'];

/** Returns whether the service reports a kind, by the response for one source; undefined if that does not show it. */
function saysWhether(asked: Promise<unknown>): Promise<boolean | undefined> {
  return asked.then(
    () => true,
    (error: unknown) => (OF_ONE_REQUEST.includes(toCrawlhouseError(error).kind) ? undefined : false),
  );
}
