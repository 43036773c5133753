import { type Html, html } from '../../../core/text/html.ts';
import { projectPath } from './addresses.ts';

/** The pages of a project, each with its address below the project's. */
const TABS = {
  overview: { name: 'Overview', path: '' },
  issues: { name: 'Issues', path: '/issues' },
  pages: { name: 'Pages', path: '/pages' },
  structure: { name: 'Structure', path: '/structure' },
  tickets: { name: 'Tickets', path: '/tickets' },
  demand: { name: 'Logs and demand', path: '/demand' },
  compare: { name: 'Compare', path: '/compare' },
  migration: { name: 'Migration', path: '/migration' },
  segments: { name: 'Segments', path: '/segments' },
  report: { name: 'Report', path: '/report' },
  settings: { name: 'Crawl settings', path: '/settings' },
} as const;

/** Pages that need a crawl with pages. */
const OF_CRAWLS: readonly string[] = [
  'issues',
  'pages',
  'structure',
  'compare',
  'migration',
  'segments',
  'report',
];

/** Returns the title of a project's page, by its address below the project; null for the first page. */
export function tabName(path: string): string | null {
  return Object.values(TABS).find((tab) => tab.path === path && path !== '')?.name ?? null;
}

/** @param hasPages whether the project has a crawl with pages */
export function projectTabs(project: string, current: keyof typeof TABS, hasPages = true): Html {
  const own = projectPath(project);
  const tabs = Object.entries(TABS).filter(([tab]) => hasPages || !OF_CRAWLS.includes(tab));
  return drawTabs(
    'Pages of the project',
    tabs.map(([tab, { name, path }]) => ({ name, href: own + path, isCurrent: tab === current })),
  );
}

interface Tab {
  readonly name: string;
  readonly href: string;
  readonly isCurrent: boolean;
}

export function drawTabs(label: string, tabs: readonly Tab[]): Html {
  return html`<nav class="tabs" aria-label="${label}"><ul>${tabs.map(
    ({ name, href, isCurrent }) =>
      html`<li><a href="${href}"${isCurrent ? html` aria-current="page"` : null}>${name}</a></li>`,
  )}</ul></nav>
`;
}
