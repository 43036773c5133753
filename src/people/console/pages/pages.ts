import type { Page } from '../page-parts/page.ts';
import { ASK } from './ask.ts';
import { AUDIT, DO_ACTION } from './audit.ts';
import { COMPARE } from './compare.ts';
import { CRAWL } from './crawl.ts';
import { DEMAND } from './demand.ts';
import { DO } from './do.ts';
import { DO_PLAN } from './do-plan.ts';
import { ISSUES } from './issues.ts';
import { MIGRATION } from './migration.ts';
import { OPERATIONS } from './operations.ts';
import { OVERVIEW } from './overview.ts';
import { PAGE_LIST } from './page-list.ts';
import { PROJECT } from './project.ts';
import { PROJECTS } from './projects.ts';
import { RUN } from './run.ts';
import { RUNS } from './runs.ts';
import { SEARCH } from './search.ts';
import { UNIT } from './unit.ts';
import { URL_PAGE } from './url.ts';

export const PAGES: readonly Page<unknown>[] = [
  ...[
    OVERVIEW,
    PROJECTS,
    PROJECT,
    ISSUES,
    PAGE_LIST,
    URL_PAGE,
    COMPARE,
    MIGRATION,
    DEMAND,
    CRAWL,
    RUNS,
    RUN,
    UNIT,
    ASK,
    OPERATIONS,
  ],
  ...[DO, DO_PLAN, DO_ACTION, AUDIT, SEARCH],
];
