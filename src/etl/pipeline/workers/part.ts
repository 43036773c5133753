import type { WorkersPart } from '../unit/shared-units.ts';
import { offerUnits } from './offer-units.ts';
import { removePublishedPackages } from './package-store.ts';
import { runWorker } from './run-worker.ts';
import { offerableUnits } from './unit-task.ts';

export const part: WorkersPart = { offerableUnits, offerUnits, removePublishedPackages, runWorker };
