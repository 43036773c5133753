import type { Page } from '../page-parts/console-page.ts';
import { ASK } from './ask-page.ts';
import { AUDIT, DO_ACTION } from './audit-page.ts';
import { CRAWL } from './crawl-page.ts';
import { DO } from './do-page.ts';
import { DO_PLAN } from './do-plan-page.ts';
import { LINKS } from './links-page.ts';
import { OPERATIONS } from './operations-page.ts';
import { OVERVIEW } from './overview-page.ts';
import { COMPARE } from './project/compare-page.ts';
import { DEMAND } from './project/demand-page.ts';
import { ISSUES } from './project/issues-page.ts';
import { MIGRATION } from './project/migration-page.ts';
import { PAGE_LIST } from './project/page-list-page.ts';
import { PROJECT } from './project/project-page.ts';
import { SEGMENTS } from './project/segments-page.ts';
import { SETTINGS } from './project/settings-page.ts';
import { STRUCTURE } from './project/structure-page.ts';
import { TICKETS } from './project/tickets-page.ts';
import { URL_PAGE } from './project/url-page.ts';
import { PROJECTS } from './projects-page.ts';
import { RUN } from './run-page.ts';
import { RUNS } from './runs-page.ts';
import { SCHEDULE, SCHEDULES } from './schedules/schedules-page.ts';
import { SEARCH } from './search-page.ts';
import { UNIT } from './unit-page.ts';
import { UPLOAD, UPLOADS } from './uploads/uploads-page.ts';
import { CONNECT } from './website/connect-page.ts';
import { CRAWLING } from './website/crawling-page.ts';
import { START } from './website/start-page.ts';

export const PAGES: readonly Page<unknown>[] = [
  OVERVIEW,
  PROJECTS,
  PROJECT,
  ISSUES,
  PAGE_LIST,
  TICKETS,
  URL_PAGE,
  STRUCTURE,
  COMPARE,
  MIGRATION,
  DEMAND,
  SEGMENTS,
  SETTINGS,
  CRAWL,
  RUNS,
  RUN,
  UNIT,
  ASK,
  OPERATIONS,
  SCHEDULES,
  SCHEDULE,
  DO,
  DO_PLAN,
  DO_ACTION,
  UPLOADS,
  UPLOAD,
  AUDIT,
  LINKS,
  SEARCH,
  START,
  CRAWLING,
  CONNECT,
];
