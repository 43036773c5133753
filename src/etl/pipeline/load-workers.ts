import { optional, optionalPart } from '../../core/errors/optional-part.ts';
import type { WorkersPart } from './unit/shared-units.ts';

/** @throws CrawlhouseError `bad_settings` if this installation lacks `workers/` */
export async function loadWorkers(): Promise<WorkersPart> {
  return (await optionalPart('workers', import(optional('./workers/part.ts')))).part;
}
