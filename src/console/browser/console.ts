import { followRun } from './live-run.ts';

/** What the pages do beyond links and forms; each works without it. */
document.documentElement.classList.add('with-script');
followRun();
