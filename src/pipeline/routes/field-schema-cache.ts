import type { ErrorKind } from '../../core/errors/error-codes.ts';
import { toCrawlhouseError } from '../../core/errors/errors.ts';
import type { ServiceClient } from '../../service/api/client/client.ts';
import type { DataSource } from '../../service/api/resources/data-source.ts';
import type { FieldRecord } from '../../service/api/resources/fields.ts';

/**
 * The fields that the service lists for rows. It does so for crawls. For comparisons and logs, the specification has no
 * such operation. If a service answers it, the answer is used (spec-notes.md 11). Each kind is tried once a run; a 403 is
 * of one source, and says nothing of the others.
 */
export class FieldSchemaCache {
  readonly #client: ServiceClient;
  readonly #signal: AbortSignal;
  /** Whether the service reports a kind; undefined where the answer did not say. */
  readonly #tried = new Map<DataSource['kind'], Promise<boolean | undefined>>();

  constructor(client: ServiceClient, signal: AbortSignal) {
    this.#client = client;
    this.#signal = signal;
  }

  /** Null where the pipeline file has to say. */
  async of(source: DataSource): Promise<FieldRecord[] | null> {
    const ask = (): Promise<FieldRecord[]> => this.#client.fields(source, this.#signal);
    if (source.kind === 'crawl') return ask();
    const tried = this.#tried.get(source.kind);
    const known = tried && (await tried);
    if (known === false) return null;
    const asked = ask();
    if (known === undefined) this.#tried.set(source.kind, saysWhether(asked));
    return asked.catch((error: unknown) => {
      const { kind } = toCrawlhouseError(error);
      // Where the service reports them, one that is forbidden does not come with fewer.
      if (OF_ONE_REQUEST.includes(kind) && !(kind === 'forbidden' && known === undefined)) throw error;
      return null;
    });
  }
}

/** Kinds of errors that do not tell whether the service reports a kind of rows. */
const OF_ONE_REQUEST: readonly ErrorKind[] = ['retriable', 'access', 'forbidden', 'interrupted'];

/** Whether the service reports a kind, by the answer for one source; undefined where that does not tell. */
function saysWhether(asked: Promise<unknown>): Promise<boolean | undefined> {
  return asked.then(
    () => true,
    (error: unknown) => (OF_ONE_REQUEST.includes(toCrawlhouseError(error).kind) ? undefined : false),
  );
}
