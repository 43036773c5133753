import * as accident from './accident-site.ts';
import * as chance from './chance-sites.ts';
import * as crawls from './crawl-sites.ts';
import * as fields from './field-site.ts';
import * as large from './large-site.ts';
import * as logs from './log-sites.ts';
import * as losses from './loss-sites.ts';
import * as sameHost from './same-host-site.ts';
import * as search from './search-sites.ts';
import type { Sites } from './sites.ts';
import * as structure from './structure-site.ts';
import * as ties from './tie-site.ts';
import * as twins from './twin-sites.ts';

/** Every adversarial site: what real sites have in their corners, made by hand. */
export const ALL_SITES: Sites = {
  projects: [
    structure.PROJECT,
    sameHost.PROJECT,
    fields.PROJECT,
    large.PROJECT,
    ties.PROJECT,
    accident.PROJECT,
    ...[chance, crawls, losses, logs, search, twins].flatMap(({ PROJECTS }) => PROJECTS),
  ],
  crawls: [
    accident,
    structure,
    sameHost,
    crawls,
    losses,
    logs,
    search,
    large,
    fields,
    ties,
    twins,
    chance,
  ].flatMap(({ CRAWLS }) => CRAWLS),
};
