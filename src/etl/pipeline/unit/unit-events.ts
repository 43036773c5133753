import { toCrawlhouseError } from '../../../core/errors/errors.ts';
import { host, timestamp } from '../../../core/host/host.ts';
import type { Logger } from '../../../core/logs/logger.ts';
import { redactTexts } from '../../../core/secrets/redact.ts';
import type { UnitEvent } from '../../project/model/runs/unit-event.ts';

interface EventFacts {
  readonly rows?: number | null;
  readonly error?: UnitEvent['error'];
}

/** Writes the events of a run's units immediately. If a line cannot be written, the run continues without events. */
export class UnitEvents {
  readonly #write: (line: string) => void;
  readonly #runId: string;
  readonly #logger: Pick<Logger, 'error'>;
  readonly #begun = new Map<string, number>();
  #ended = false;

  constructor(write: (line: string) => void, runId: string, logger: Pick<Logger, 'error'>) {
    this.#write = write;
    this.#runId = runId;
    this.#logger = logger;
  }

  /** Records the start of work on a unit. */
  begin(unit: string): void {
    this.#begun.set(unit, host().monotonic());
  }

  note(event: UnitEvent['event'], unit: string, { rows = null, error = null }: EventFacts = {}): void {
    if (this.#ended) return;
    const begun = this.#begun.get(unit);
    const seconds = begun === undefined ? null : Math.round(host().monotonic() - begun) / 1000;
    const line: UnitEvent = {
      version: 1,
      event,
      at: timestamp(),
      run_id: this.#runId,
      unit,
      rows,
      seconds,
      error: error && { code: error.code, message: error.message },
    };
    try {
      this.#write(`${JSON.stringify(redactTexts(line))}\n`);
    } catch (thrown) {
      this.#ended = true;
      this.#logger.error('events no longer written', { error: toCrawlhouseError(thrown).message });
    }
  }
}
