import type { IssuePage, IssuePages } from './issue-pages.ts';

const MANY = 'lift '.repeat(400);
const HEAD = '<meta charset="utf-8">';
const script = (code: string): { readonly body: string } => ({ body: `<script>${code}</script>` });

/** Issues that only a crawl that renders knows. */
export const RENDERED_PAGES: Readonly<Record<string, IssuePages>> = {
  canonical_changed_by_rendering: [
    script("document.querySelector('link[rel=canonical]').href = '/canonical-changed-by-rendering/near'"),
    script("document.querySelector('link[rel=canonical]').title = 'Changed'"),
  ],
  canonical_only_rendered: [
    {
      canonical: null,
      ...script(
        "document.head.insertAdjacentHTML('beforeend', '<link rel=canonical href=/canonical-only-rendered/fires>')",
      ),
    },
    { canonical: null, ...script("document.head.insertAdjacentHTML('beforeend', '<link rel=next href=/>')") },
  ],
  content_only_rendered: [
    { words: 60, ...script(`document.querySelector('main').insertAdjacentHTML('beforeend', '<p>${MANY}')`) },
    { words: 600, ...script(`document.querySelector('main').insertAdjacentHTML('beforeend', '<p>${MANY}')`) },
  ],
  denied_resources: [
    { body: '<script src="/denied/app.js"></script>' },
    { body: '<script src="/app.js"></script>' },
  ],
  links_only_rendered: [
    script(
      "document.querySelector('main').insertAdjacentHTML('beforeend', '<a href=/hub>All of our lifts</a>')",
    ),
    script(
      "document.querySelector('main').insertAdjacentHTML('beforeend', '<a href=/#top>All of our lifts</a>')",
    ),
  ],
  noindex_added_by_rendering: [
    script("document.head.insertAdjacentHTML('beforeend', '<meta name=robots content=noindex>')"),
    {
      head: `${HEAD}<meta name="robots" content="noindex">`,
      ...script("document.head.insertAdjacentHTML('beforeend', '<meta name=robots content=noindex>')"),
    },
  ],
  noindex_removed_by_rendering: [
    {
      head: '<meta name="robots" content="noindex">',
      ...script("document.querySelector('[name=robots]').remove()"),
    },
    {
      head: '<meta name="robots" content="noarchive">',
      ...script("document.querySelector('[name=robots]').remove()"),
    },
  ],
  not_rendered: [script('for (;;);'), script('for (let turn = 0; turn < 1e8; turn++);')],
  redirect_by_script: [script("location = '/hub'"), script("history.pushState({}, '', '#top')")],
  title_changed_by_rendering: [script("document.title = 'Lifts'"), script('document.title += " "')],
  large_image: [
    { body: '<img src="/large.png" alt="A lift" width="9" height="9">' },
    { body: '<img src="/lift.png" alt="A lift" width="9" height="9">' },
    {
      at: '/large.png',
      inlinks: 0,
      sitemaps: 0,
      raw: 'x'.repeat(102 * 1024),
      headers: { 'content-type': 'image/png', 'content-encoding': null },
    },
    {
      at: '/lift.png',
      inlinks: 0,
      sitemaps: 0,
      raw: 'x'.repeat(98 * 1024),
      headers: { 'content-type': 'image/png', 'content-encoding': null },
    },
  ],
};

/** A script that holds the page up for so long, once it is shown. */
const busy = (milliseconds: number): string =>
  `setTimeout(() => { for (const until = performance.now() + ${milliseconds}; performance.now() < until;); }, 200);`;
const shift = (share: number): string =>
  `setTimeout(() => document.querySelector('h1').insertAdjacentHTML('beforebegin', '<div style="height: ${share}vh"></div>'), 300);`;
/** A page that is shown once so much is loaded. Over http: Chromium does not know the certificate. */
const late = (issue: string, place: string, kilobytes: number): IssuePage => ({
  ...measured(issue, place),
  head: `<script src="/slow-${kilobytes}.js"></script>`,
});
const measured = (issue: string, place: string, code = ''): IssuePage => ({
  at: `{http}/${issue}/${place}`,
  ...(code === '' ? {} : script(code)),
});

/** Issues that only a crawl that measures web vitals knows. */
export const MEASURED_PAGES: Readonly<Record<string, IssuePages>> = {
  middling_cls: [measured('a', 'fires', shift(20)), measured('a', 'near', shift(5))],
  poor_cls: [measured('b', 'fires', shift(80)), measured('b', 'near', shift(20))],
  middling_tbt: [measured('c', 'fires', busy(400)), measured('c', 'near', busy(100))],
  poor_tbt: [measured('d', 'fires', busy(1500)), measured('d', 'near', busy(400))],
  middling_fcp: [late('e', 'fires', 2600), late('e', 'near', 300), ...[300, 2600, 3900, 5000].map(file)],
  poor_fcp: [late('f', 'fires', 5000), late('f', 'near', 2600)],
  middling_lcp: [late('g', 'fires', 3900), late('g', 'near', 300)],
  poor_lcp: [late('h', 'fires', 5000), late('h', 'near', 2600)],
};

function file(kilobytes: number): IssuePage {
  return {
    at: `{http}/slow-${kilobytes}.js`,
    inlinks: 0,
    raw: `/*${'x'.repeat(kilobytes * 1024)}*/`,
    headers: { 'content-type': 'text/javascript', 'content-encoding': null },
  };
}
