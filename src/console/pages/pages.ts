import { OVERVIEW } from './overview.ts';
import type { Page } from './page.ts';

/** Every page of the console. */
export const PAGES: readonly Page<unknown>[] = [OVERVIEW];
