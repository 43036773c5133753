import type { Html } from '../../../core/html.ts';
import { projectPath } from './addresses.ts';
import { drawTabs } from './tabs.ts';

/** The pages of a project, each below its address. */
const TABS = {
  overview: { name: 'Overview', path: '' },
  issues: { name: 'Issues', path: '/issues' },
  pages: { name: 'Pages', path: '/pages' },
  demand: { name: 'Logs and demand', path: '/demand' },
  compare: { name: 'Compare', path: '/compare' },
} as const;

export function projectTabs(project: string, current: keyof typeof TABS): Html {
  const own = projectPath(project);
  return drawTabs(
    'Pages of the project',
    Object.entries(TABS).map(([tab, { name, path }]) => ({
      name,
      href: own + path,
      isCurrent: tab === current,
    })),
  );
}
