import { ASK } from './ask.ts';
import { OVERVIEW } from './overview.ts';
import type { Page } from './page.ts';
import { RUN } from './run.ts';
import { RUNS } from './runs.ts';
import { UNIT } from './unit.ts';

/** Every page of the console. */
export const PAGES: readonly Page<unknown>[] = [OVERVIEW, RUNS, RUN, UNIT, ASK];
