import type { Logger } from '../../../core/logs/logger.ts';
import type { CrawlClock } from '../crawls/crawl-clock.ts';
import type { IngestFiles } from '../ingest/ingest-files.ts';
import type { Notifier } from '../notify/notifier.ts';
import type { DownloadCenter } from '../ranking/download-center.ts';
import type { Clock } from '../resources/clock.ts';
import type { Resources } from '../resources/resources.ts';
import type { ServiceRows } from '../rows/row-store.ts';

export interface Context {
  readonly resources: Resources;
  readonly rows: ServiceRows;
  readonly clock: Clock;
  readonly crawlClock: CrawlClock;
  readonly notifier: Notifier;
  readonly ingestFiles: IngestFiles;
  readonly downloads: DownloadCenter;
  readonly logger: Logger;
  /** Name or address that the service listens on. */
  readonly host: string;
}
