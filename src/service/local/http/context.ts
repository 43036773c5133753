import type { Logger } from '../../../core/logs/logger.ts';
import type { CrawlClock } from '../crawls/crawl-clock.ts';
import type { IngestFiles } from '../ingest/ingest-files.ts';
import type { Notifier } from '../notify/notifier.ts';
import type { DownloadCenter } from '../ranking/download-center.ts';
import type { Clock } from '../resources/clock.ts';
import type { Resources } from '../resources/resources.ts';
import type { ServiceRows } from '../rows/row-store.ts';
import type { DataExports } from '../sandbox/exports/data-exports.ts';
import type { FaultBox } from '../sandbox/faults/fault-box.ts';
import type { RequestLog } from './request-log.ts';

export interface Context {
  readonly resources: Resources;
  readonly rows: ServiceRows;
  readonly faults: FaultBox;
  readonly clock: Clock;
  readonly requests: RequestLog;
  readonly life: CrawlClock;
  readonly notifier: Notifier;
  readonly dataExports: DataExports;
  readonly ingestFiles: IngestFiles;
  readonly downloads: DownloadCenter;
  readonly logger: Logger;
  /** Name or address that the sandbox listens on. */
  readonly host: string;
  /** The bucket of `store_a` that data exports may go to. */
  readonly storeABucket: string;
  /** Imports a folder; the id of its crawl, if it holds one. */
  readonly importFolder: (
    dir: string,
  ) => Promise<{ readonly project_id: string; readonly crawl_id: string | null }>;
}
